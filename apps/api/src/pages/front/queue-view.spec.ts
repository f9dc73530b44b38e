import type { StatusReply, WorkerStatus } from '@proctor/contracts';
import { obstacles, queueView, workerViews } from './queue-view';

const worker = (changes: Partial<WorkerStatus> = {}): WorkerStatus => ({
  worker: 'w1',
  slots: 2,
  busy: 0,
  testbeds: [],
  variants: ['autopkgtest'],
  sizeClasses: [],
  standing: 'sound',
  ...changes,
});
const status = (...workers: WorkerStatus[]): StatusReply => ({
  arch: 'amd64',
  epoch: 1,
  workers,
  queues: [
    {
      suite: 'sid',
      waiting: 3,
      running: 2,
      emptyInMs: 90_500,
      paused: null,
      reasons: ['all 2 slots are busy', 'the cap'],
    },
  ],
});
const decision = { by: 'root', reason: 'disk full', since: '2026-11-20T15:40:51.123Z' };

it.each([
  ['no scheduler', null, [/^No scheduler answers for amd64/]],
  ['no worker', status(), [/^No worker asks for work on amd64/]],
  ['nothing', status(worker()), []],
  [
    'a problem',
    status(worker({ problem: 'no usable backend' })),
    [/^Worker w1 takes no work: no usable backend$/],
  ],
  [
    'a worker that is drained and not sound',
    status(
      worker({
        drained: decision,
        standing: 'quarantined',
        reason: 'run 5: no space left',
        untilMs: 40_000,
      }),
    ),
    [
      /^Worker w1 is drained by root \(since 2026-11-20 15:40:51 UTC\): disk full$/,
      /^Worker w1 is quarantined until \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC: run 5: no space left$/,
    ],
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
  ['a ready image', status(worker({ testbeds: [{ suite: 'sid', backend: 'unshare', state: 'ready' }] })), []],
])('the page of an architecture shows %s', (_what, reply, patterns) => {
  const sentences = obstacles('amd64', reply);
  expect(sentences).toHaveLength(patterns.length);
  patterns.forEach((pattern, index) => expect(sentences[index]).toMatch(pattern));
});

it('workers are shown with their standing', () => {
  const views = workerViews(
    status(worker(), worker({ worker: 'w2', standing: 'slowed', reason: 'run 5 failed', drained: decision })),
  );
  expect(views.map(({ standing }) => standing)).toEqual([
    'sound',
    'drained by root (since 2026-11-20 15:40:51 UTC): disk full; slowed: run 5 failed',
  ]);
  expect(workerViews(null)).toEqual([]);
});

describe('queueView', () => {
  const length = { suite: 'sid', arch: 'amd64', waiting: 3, running: 2, oldestAt: null };

  it('a queue has an expected end and reasons when its dispatcher answers', () => {
    expect(queueView(length, null, status())).toEqual({
      suite: 'sid',
      arch: 'amd64',
      waiting: 3,
      running: 2,
      oldestAt: null,
      busyFor: 'about 2 minutes',
      reasons: ['all 2 slots are busy', 'the cap'],
    });
    expect(queueView(length, null, null)).toMatchObject({ busyFor: '', reasons: [] });
  });

  it('a paused queue names the user who paused it, whether its dispatcher knows or not', () => {
    const reasons = ['paused by root (since 2026-11-20 15:40:51 UTC): disk full'];
    for (const arch of [status(), null]) {
      expect(queueView(length, decision, arch)).toMatchObject({ busyFor: '', reasons });
    }
  });
});
