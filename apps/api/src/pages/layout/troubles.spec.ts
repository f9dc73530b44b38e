import type { StatusReply, WorkerStatus } from '@proctor/contracts';
import { type ServiceFacts, troubles } from './troubles';

const since = '2026-11-20T15:40:51.123Z';
const decision = { by: 'root', reason: 'new disks', since };
const queue = { suite: 'sid', arch: 'arm64', waiting: 3, running: 0, oldestAt: null };
const worker = (change: Partial<WorkerStatus> = {}): WorkerStatus => ({
  worker: 'w1',
  slots: 2,
  busy: 0,
  testbeds: [],
  variants: [],
  sizeClasses: [],
  standing: 'sound',
  ...change,
});
const status = (...workers: WorkerStatus[]): StatusReply => ({
  arch: 'arm64',
  epoch: 1,
  workers,
  queues: [],
});
const facts = (reply: StatusReply | null, change: Partial<ServiceFacts> = {}): ServiceFacts => ({
  queues: [queue],
  pauses: [],
  statuses: new Map([['arm64', reply]]),
  registered: [{ name: 'w1', architectures: ['arm64', 'armhf'], lastSeenAt: new Date(since) }],
  ...change,
});

it.each<[string, ServiceFacts, object[]]>([
  ['nothing, with a worker', facts(status(worker())), []],
  ['nothing where none waits', facts(null, { queues: [{ ...queue, waiting: 0, running: 1 }] }), []],
  [
    'an absent scheduler',
    facts(null),
    [{ kind: 'no scheduler', what: 'arm64: no scheduler answers', since: null }],
  ],
  [
    'absent workers',
    facts(status()),
    [{ kind: 'no worker', what: 'arm64: no worker', since: new Date(since) }],
  ],
  [
    'workers that were never there',
    facts(status(), { registered: [{ name: 'w1', architectures: ['arm64'], lastSeenAt: null }] }),
    [{ kind: 'no worker', what: 'arm64: no worker', since: null }],
  ],
  [
    'absent workers, without the time of one that works on another architecture',
    facts(status(), {
      statuses: new Map([
        ['arm64', status()],
        ['armhf', status(worker())],
      ]),
    }),
    [{ kind: 'no worker', what: 'arm64: no worker', since: null }],
  ],
  [
    'workers that all take no work',
    facts(
      status(worker({ drained: decision }), worker({ standing: 'quarantined' }), worker({ problem: 'full' })),
    ),
    [{ kind: 'no worker', what: 'arm64: none of 3 workers takes work', since: null }],
  ],
  [
    'nothing while one takes work',
    facts(status(worker({ drained: decision }), worker({ standing: 'slowed' }))),
    [],
  ],
  [
    'a pause of a queue in which runs wait',
    facts(status(worker()), { pauses: [{ ...decision, suite: 'sid', arch: null }] }),
    [{ kind: 'paused', what: 'sid/arm64: paused', since: new Date(since) }],
  ],
  [
    'nothing for a pause of another queue',
    facts(status(worker()), { pauses: [{ ...decision, suite: 'trixie', arch: null }] }),
    [],
  ],
])('the head of a page names %s', (_what, serviceFacts, expected) => {
  expect(troubles(serviceFacts)).toEqual(expected);
});
