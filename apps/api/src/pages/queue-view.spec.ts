import type { StatusReply, WorkerStatus } from '@proctor/contracts';
import { obstacles } from './queue-view';

const worker = (changes: Partial<WorkerStatus> = {}): WorkerStatus => ({
  worker: 'w1',
  slots: 2,
  busy: 0,
  testbeds: [],
  variants: ['autopkgtest'],
  ...changes,
});
const status = (...workers: WorkerStatus[]): StatusReply => ({ arch: 'amd64', epoch: 1, workers });

describe('obstacles', () => {
  it.each([
    ['no scheduler', null, [/^No scheduler answers for amd64/]],
    ['no worker', status(), [/^No worker is connected for amd64/]],
    ['nothing', status(worker()), []],
    [
      'a problem',
      status(worker({ problem: 'no usable backend' })),
      [/^Worker w1 takes no work: no usable backend$/],
    ],
    [
      'an image being built',
      status(
        worker({
          testbeds: [{ suite: 'sid', backend: 'unshare', state: 'building', detail: 'building for 12 s' }],
        }),
      ),
      [/^Worker w1 is building the image sid\/amd64 \(for 12 s\)\.$/],
    ],
    [
      'an image that cannot be built',
      status(
        worker({ testbeds: [{ suite: 'sid', backend: 'unshare', state: 'failed', detail: 'no mirror' }] }),
      ),
      [/could not build the image sid\/amd64: no mirror$/],
    ],
    [
      'a ready image',
      status(worker({ testbeds: [{ suite: 'sid', backend: 'unshare', state: 'ready' }] })),
      [],
    ],
  ])('tells of %s', (_what, reply, patterns) => {
    const sentences = obstacles('amd64', reply);
    expect(sentences).toHaveLength(patterns.length);
    patterns.forEach((pattern, index) => expect(sentences[index]).toMatch(pattern));
  });
});
