import type { WorkerResource, WorkerDetails } from '@proctor/resources';
import type { EndedAttempt, WorkerRecord } from '@proctor/database';
import { workerObject as offer } from '@test/support/worker-object';
import type { WorkerSummary } from '../../workers/workers.service';
import { idleReasons } from '../../workers/idle-reasons';
import { decisionsView } from './decision-view';
import { workerView } from './worker-view';
import { isWell, stateOf, stripEntry, workerEntries, workersView } from './workers-view';

const drained = { by: 'root', reason: 'new disks', since: '2026-11-20T15:40:51.123Z' };
const summary = (name: string, ...offers: WorkerResource[]): WorkerSummary => {
  return { name, record: null, offers: offers.map((each) => ({ ...each, name })), attempts: [] };
};

it.each([
  ['not connected', []],
  ['ready', [offer({ busy: 1 })]],
  ['busy', [offer({ busy: 1 }), offer({ arch: 'i386', busy: 1 })]],
  ['slowed', [offer({ standing: 'slowed' })]],
  ['drained', [offer({ standing: 'slowed', drained })]],
  ['quarantined', [offer(), offer({ arch: 'i386', standing: 'quarantined', drained })]],
  ['in trouble', [offer({ problem: 'the disk is full', standing: 'quarantined' })]],
] as const)('a worker is %s by the weightiest that is true of it', (word, offers) => {
  expect(stateOf([...offers]).word).toBe(word);
});

it('the page of the workers counts them by how they are, and their slots once for all architectures', () => {
  const workers = [
    summary('w1', offer(), offer({ arch: 'i386', busy: 1 })),
    summary('w2', offer()),
    summary('w3'),
  ];
  const view = workersView({ rows: workers, last: 'w3' }, '');
  expect(view.sentence).toBe('3 workers: 2 ready, 1 not connected; 1 of 4 slots are busy.');
  expect(view.nextUrl).toBe('/status/workers/?after=w3');
  expect(view.workers[0]).toMatchObject({
    architectures: 'amd64, i386',
    suites: 'sid',
    busy: 1,
    slots: 2,
    isConnected: true,
  });
  expect(view.workers[2]).toMatchObject({ isConnected: false });
  expect(workersView({ rows: [], last: null }, '').sentence).toBe('No worker is registered.');
});

it('an attempt without a report is drawn as one that had no result', () => {
  expect(stripEntry({ outcome: 'expired', verdict: null }).verdict).toBe('tmpfail');
  expect(stripEntry({ outcome: 'finished', verdict: 'fail' }).verdict).toBe('fail');
});

it('the feed of the workers says since when one takes no work and why, with a new entry each time', () => {
  const record = { createdAt: new Date('2026-11-01'), lastSeenAt: new Date('2026-11-22') } as WorkerRecord;
  const attempts = [{ endedAt: new Date('2026-11-21') } as EndedAttempt];
  const quarantine = offer({ standing: 'quarantined', reason: 'attempts failed here in a row' });
  const workers = [
    { ...summary('w1', offer({ drained }), offer({ arch: 'i386', drained })), attempts },
    { ...summary('w2', quarantine), record, attempts },
    { ...summary('w3'), record, attempts },
    { ...summary('w4', offer({ problem: 'the disk is full' })), record },
  ];
  expect(workerEntries(workers)).toEqual([
    {
      path: '/status/workers/w3#not-connected-1795305600000',
      title: 'w3 is not connected',
      text: '',
      date: new Date('2026-11-22'),
    },
    {
      path: '/status/workers/w2#quarantined-1795219200000',
      title: 'w2 is quarantined',
      text: 'attempts failed here in a row',
      date: new Date('2026-11-21'),
    },
    {
      path: '/status/workers/w1#drained-1795189251123',
      title: 'w1 is drained',
      text: 'drained by root (since 2026-11-20 15:40:51 UTC): new disks',
      date: new Date('2026-11-20T15:40:51.123Z'),
    },
    {
      path: '/status/workers/w4#in-trouble-1793491200000',
      title: 'w4 is in trouble',
      text: 'the disk is full',
      date: new Date('2026-11-01'),
    },
  ]);
  expect([[offer({ busy: 2 })], [offer()], [quarantine], []].map(isWell)).toEqual([true, true, false, false]);
});

describe('the page of a worker', () => {
  const details = (change: Partial<WorkerDetails> = {}): WorkerDetails => ({
    name: 'w1',
    registered: null,
    offers: [offer()],
    silent_architectures: [],
    idle_reasons: [],
    running: [],
    attempts: [],
    comparison: null,
    ...change,
  });

  it.each([
    [9, 4, true],
    [6, 4, false],
    [2, 0, false],
    [3, 0, true],
  ])('calls %i failures where %i are expected much oftener: %s', (failures, expected_failed, isOftener) => {
    const comparison = {
      attempts: 20,
      failed: failures,
      expected_failed,
      without_result: 0,
      expected_without_result: 0,
    };
    expect(workerView(details({ comparison })).comparison!.rows[0]).toMatchObject({ isOftener });
  });

  it('names a drain once, apart from the other reasons', () => {
    const offers = ['amd64', 'arm64', 'i386'].map((arch) => offer({ arch, drained }));
    const reasons = idleReasons({ record: null, offers, silent: [], queues: [] });
    expect(reasons).toEqual(['drained by root (since 2026-11-20 15:40:51 UTC): new disks']);
    const view = workerView(details({ offers, idle_reasons: [...reasons, 'all 2 slots are busy'] }));
    const { by, reason, since } = drained;
    expect(view.drained).toEqual({ by, reason, since: new Date(since), deadline: null });
    expect(view.reasons).toEqual(['all 2 slots are busy']);
    const drain = { ...drained, worker: 'w1', deadline: '2026-11-20T16:40:51.123Z' };
    expect(workerView(details(), drain).drained!.deadline).toEqual(new Date(drain.deadline));
  });

  it.each([
    ['sound', null, { canTrust: false, canQuarantine: true }],
    ['quarantined', null, { canTrust: true, canQuarantine: false }],
    ['sound', new Date(), { canTrust: false, canQuarantine: false }],
  ] as const)('offers what fits a worker that is %s, revoked at %s', (standing, revokedAt, decisions) => {
    const worker = details({ offers: [offer({ standing })] });
    expect(decisionsView(worker, { revokedAt } as WorkerRecord)).toMatchObject(decisions);
  });

  it.each([
    [
      1_000,
      '1000 MiB',
      'The disk is nearly full: 1000 MiB are free. With less than 512 MiB the worker accepts no work.',
    ],
    [5_120, '5.0 GiB', null],
  ])('warns when the disk of its machine is nearly full: %i MiB', (free, freeDisk, warning) => {
    const machine = { load_percent: 75, free_disk_mib: free, free_disk_mib_min: 512 };
    expect(workerView(details({ offers: [offer({ machine })] })).machine).toEqual({
      load: '75 % of its processors',
      freeDisk,
      warning,
    });
    expect(workerView(details()).machine).toBeNull();
  });

  it('describes its state in a sentence', () => {
    const registered = {
      architectures: ['amd64'],
      since: '2026-11-20T15:40:51.123Z',
      last_seen_at: null,
      revoked_at: null,
      last_refusal: null,
    };
    expect(workerView(details()).sentence).toBe('w1 is ready; 0 of 2 slots are busy.');
    expect(workerView(details({ registered, offers: [] })).sentence).toBe('w1 has not requested work yet.');
    const earlier = { ...registered, last_seen_at: '2026-11-21T15:40:51.123Z' };
    expect(workerView(details({ registered: earlier, offers: [] })).sentence).toBe('w1 is not connected.');
    const revoked = { ...registered, revoked_at: '2026-11-21T15:40:51.123Z' };
    expect(workerView(details({ registered: revoked, offers: [] })).sentence).toBe('w1 is revoked.');
  });
});
