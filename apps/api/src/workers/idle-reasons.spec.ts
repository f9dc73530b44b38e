import type { QueueResource } from '@proctor/resources';
import { idleReasons, type WorkerFacts } from './idle-reasons';
import { workerObject as offer } from '@test/support/worker-object';

const lastSeenAt = new Date('2026-11-20T15:40:51.123Z');
const queue = (change: Partial<QueueResource> = {}): QueueResource => ({
  suite: 'sid',
  arch: 'amd64',
  waiting: 3,
  running: 0,
  oldest_at: null,
  rate_per_hour: 0,
  wait_seconds: null,
  estimate_seconds: null,
  paused: null,
  reasons: [],
  ...change,
});
const facts = (change: Partial<WorkerFacts> = {}): WorkerFacts => ({
  record: { architectures: ['amd64'], revokedAt: null, lastSeenAt },
  offers: [offer()],
  silent: [],
  queues: [queue()],
  ...change,
});

const record = { architectures: ['amd64', 'i386'], revokedAt: null, lastSeenAt };
const decision = { by: 'root', reason: 'new disks', since: '2026-11-20T15:40:51.123Z' };

it.each<[string, Partial<WorkerFacts>, string[]]>([
  ['nothing, while runs wait that it may have', {}, []],
  ['nothing to do', { queues: [queue({ waiting: 0 })] }, ['nothing waits on amd64']],
  [
    'a revocation alone',
    { record: { ...record, revokedAt: lastSeenAt }, offers: [], silent: ['amd64'] },
    ['an administrator has revoked it'],
  ],
  ['a lost connection', { offers: [] }, ['it is not connected']],
  [
    'a worker that was never there',
    { record: { ...record, lastSeenAt: null }, offers: [] },
    ['it has never connected'],
  ],
  [
    'an architecture without scheduler',
    { offers: [], silent: ['amd64'] },
    ['no scheduler answers for amd64'],
  ],
  ['one architecture of two', { record }, ['it has not requested work on i386 recently']],
  [
    'its own words',
    { offers: [offer({ problem: 'the disk is full' })] },
    ['it takes no work: the disk is full'],
  ],
  [
    'a drain and a quarantine',
    {
      offers: [
        offer({
          drained: decision,
          standing: 'quarantined',
          until: '2026-11-20T15:50:00.000Z',
          reason: 'tired',
        }),
      ],
    },
    [
      'drained by root (since 2026-11-20 15:40:51 UTC): new disks',
      'quarantined until 2026-11-20T15:50:00.000Z: tired',
    ],
  ],
  [
    'images that are all not ready',
    {
      offers: [
        offer({ testbeds: [{ suite: 'sid', backend: 'unshare', state: 'failed', detail: 'no mirror' }] }),
      ],
    },
    ['the image sid/amd64 for unshare is failed: no mirror'],
  ],
  ['slots that are all busy', { offers: [offer({ busy: 2 })] }, ['all 2 slots are busy']],
  ['its one slot', { offers: [offer({ busy: 1, slots: 1 })] }, ['its one slot is busy']],
  [
    'what holds the queues of its architecture back',
    {
      queues: [
        queue({ reasons: ['paused by root: the mirror is away', 'another'] }),
        queue({ suite: 'trixie', waiting: 0, reasons: ['not shown'] }),
        queue({ arch: 'arm64', reasons: ['not shown'] }),
      ],
    },
    ['sid/amd64: paused by root: the mirror is away'],
  ],
])('a worker gets no work for %s', (_what, change, reasons) => {
  expect(idleReasons(facts(change))).toEqual(reasons);
});

it('a worker that only runs name is not registered', () => {
  expect(idleReasons(facts({ record: null, offers: [] }))).toEqual(['it is not registered']);
});
