import { RetriedRun } from '@proctor/resources';
import { Operation } from '../http/operation';

export const RetriesRun = Operation({
  tag: 'Requests',
  id: 'retryRun',
  summary: 'Retry a finished run',
  description:
    'A new run of the same, with the same trigger, pins, sources, backend, variant, priority and privacy; its result is for the key that asked first. Any key may retry a public run; of a private one, the key that asked and administrators.',
  answer: { description: 'The new run.', of: RetriedRun, example: { run_id: 4712 } },
  parameters: ['IdempotencyKey'],
  refusals: {
    403: {
      description: 'The key is not valid, or the deployment no longer tests that.',
      detail: 'Run 12 cannot be retried: hello is on the reject list for trixie/amd64.',
    },
    404: 'NotFound',
    409: {
      description:
        "The run, or a retry of it, has not finished; or the idempotency key is another request's.",
      detail: 'Run 13, a retry of run 12, has not finished.',
    },
    410: 'Gone',
  },
});
