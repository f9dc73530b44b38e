import { BrokenOff, DatabaseUnavailable } from '@proctor/database';
import type { Requestor, RunRecord } from '@proctor/database';
import { Problem } from '../../http/problem';
import type { CancellationService } from '../../runs/cancellation.service';
import type { PublicationService } from '../../runs/publication.service';
import type { RetryService } from '../../runs/retry.service';
import { RunChanges } from './job-actions.service';

const RUNS = [1, 2, 3].map((runId) => ({ runId }) as RunRecord);
const REQUESTOR = { keyId: 1 } as Requestor;

/** @param fault what becomes of the second run's retry */
function changesWith(fault: Error): { changes: RunChanges; retried: number[] } {
  const retried: number[] = [];
  const retries = {
    retry(runId: number) {
      if (runId === 2) return Promise.reject(fault);
      retried.push(runId);
      return Promise.resolve({ run_id: 10 + runId });
    },
  } as unknown as RetryService;
  return { changes: new RunChanges({} as PublicationService, {} as CancellationService, retries), retried };
}

it('a change of several runs says which were changed when the database goes away meanwhile', async () => {
  const { changes, retried } = changesWith(new DatabaseUnavailable('away'));
  const error: unknown = await changes
    .runAction('retry', RUNS, REQUESTOR)
    .then(fail, (thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(BrokenOff);
  expect((error as BrokenOff).changedIds).toEqual([1]);
  expect(retried).toEqual([1]);
});

it.each([
  [404, 'There is no run 2.'],
  [409, 'Run 9 waits.'],
  [410, 'Run 2 was removed: runs are kept for 3650 days.'],
])('a run that can no longer be changed is named, and the others are changed: %i', async (status, reason) => {
  const { changes, retried } = changesWith(new Problem(status, reason));
  expect(await changes.runAction('retry', RUNS, REQUESTOR)).toEqual({
    doneIds: [11, 13],
    refusals: [{ runId: 2, reason }],
  });
  expect(retried).toEqual([1, 3]);
});

function fail(): never {
  throw new Error('it was not refused');
}
