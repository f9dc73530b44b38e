import type { StatusReply, WorkerStatus } from '@proctor/contracts';
import { obstacles, type PresentFacts } from './obstacles';

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
  queues: [],
});
const decision = { by: 'root', reason: 'disk full', since: '2026-11-20T15:40:51.123Z' };

/** Runs wait on amd64 and arm64. */
const facts = (amd64: StatusReply | null, changes: Partial<PresentFacts> = {}): PresentFacts => ({
  troubles: [],
  pauses: [],
  queues: ['amd64', 'arm64'].map((arch) => ({ suite: 'sid', arch, waiting: 3, running: 0, oldestAt: null })),
  architectures: ['amd64', 'arm64'],
  statuses: new Map([
    ['amd64', amd64],
    ['arm64', amd64],
  ]),
  isEmpty: false,
  ...changes,
});
const words = (present: PresentFacts): string[] => obstacles(present).map(({ what }) => what);

it.each<[string, StatusReply, RegExp[]]>([
  ['nothing', status(worker()), []],
  [
    'a problem',
    status(worker({ problem: 'no usable backend' })),
    [/^Worker w1 takes no work: no usable backend$/],
  ],
  [
    'a worker that is drained and not sound',
    status(
      worker({ drained: decision, standing: 'quarantined', reason: 'run 5: no space left', untilMs: 40_000 }),
    ),
    [
      /^Worker w1 is drained by root \(since 2026-11-20 15:40:51 UTC\): disk full$/,
      /^Worker w1 is quarantined until \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC: run 5: no space left$/,
    ],
  ],
])('the first page names %s once for all architectures', (_what, reply, patterns) => {
  const sentences = words(facts(reply));
  expect(sentences).toEqual(patterns.map((pattern) => expect.stringMatching(pattern)));
});

it('the first page names the images that runs wait for, by architecture', () => {
  const building = {
    suite: 'sid',
    backend: 'unshare',
    state: 'building',
    detail: 'building for 12 s',
  } as const;
  const testbed = { suite: 'sid', backend: 'unshare', state: 'failed', detail: 'no mirror' } as const;
  const ready = { suite: 'sid', backend: 'unshare', state: 'ready' } as const;
  expect(
    words(
      facts(status(worker({ testbeds: [building, ready] }), worker({ worker: 'w2', testbeds: [testbed] }))),
    ),
  ).toEqual([
    'Worker w1 is building the image sid/amd64 (for 12 s)',
    'Worker w2 could not build the image sid/amd64: no mirror',
    'Worker w1 is building the image sid/arm64 (for 12 s)',
    'Worker w2 could not build the image sid/arm64: no mirror',
  ]);
});

it('a trouble of an architecture and a pause are named once, with the page that has more', () => {
  const since = new Date('2026-11-20T10:00:00Z');
  const troubles = [
    { kind: 'no worker', what: 'arm64: no worker', since },
    { kind: 'no scheduler', what: 'armhf: no scheduler answers', since: null },
    { kind: 'paused', what: 'sid/amd64: paused', since },
  ] as const;
  const pauses = [{ ...decision, suite: 'sid', arch: 'amd64' }];
  expect(obstacles(facts(status(), { troubles: [...troubles], pauses }))).toEqual([
    { what: 'arm64: no worker', since, url: '/status/queue/' },
    {
      what: 'Queue sid/amd64 is paused by root (since 2026-11-20 15:40:51 UTC): disk full',
      since: null,
      url: '/status/queue/',
    },
  ]);
});

it('a scheduler that is away is one thing for all its architectures', () => {
  expect(words(facts(null))).toEqual(['amd64, arm64: no scheduler answers; runs wait until one does']);
});

it('workers of architectures for which nothing waits are not named', () => {
  expect(words(facts(status(worker({ problem: 'full' })), { queues: [] }))).toEqual([]);
});

it('before the first request, the page names what would keep it waiting', () => {
  const statuses = new Map([
    ['amd64', null],
    ['arm64', null],
    ['armhf', status()],
    ['riscv64', status(worker({ problem: 'full' }))],
  ]);
  const empty = { queues: [], architectures: [...statuses.keys()], statuses, isEmpty: true };
  expect(words(facts(null, empty))).toEqual([
    'amd64, arm64: no scheduler answers; runs wait until one does',
    'armhf: no worker',
    'Worker w1 takes no work: full',
  ]);
});
