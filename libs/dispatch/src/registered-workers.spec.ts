import type { LeaseRequest } from '@proctor/contracts';
import { DispatcherRig } from '@test/support/dispatcher-rig';
import { finishedReport, leaseRequest, registered, startedReport, waitingRun } from '@test/support/runs';
import type { DispatchedRun, Order, RegisteredWorker } from './journal-records';

const UNKNOWN =
  'worker w1 is not registered; an administrator adds it with: proctor worker add w1 --arch amd64';
const REVOKED = 'worker w1 was revoked; an administrator adds it with: proctor worker add w1 --arch amd64';
const FOREIGN = 'worker w1 is not registered for amd64, but for arm64, i386';

const NOT_ALLOWED: [string, RegisteredWorker[], string][] = [
  ['unknown', [], UNKNOWN],
  ['revoked', registered('w1').map((worker) => ({ ...worker, isRevoked: true })), REVOKED],
  [
    'registered for other architectures',
    registered('w1').map((worker) => ({ ...worker, architectures: ['arm64', 'i386'] })),
    FOREIGN,
  ],
];

const HELD = { worker: 'w1', incarnation: leaseRequest().incarnation, slot: 0, runId: 1, attempt: 1 };
const ATTEMPT = { runId: 1, attempt: 1, worker: 'w1' };
const REVOKE: Order = { kind: 'revoke', orderId: 7, worker: 'w1', by: 'ada', reason: null };

/** Run 1 is leased to w1, run 2 to w2, others wait; from then on the register is the given one. */
function rigThen(workers: RegisteredWorker[], runs: Partial<DispatchedRun>[] = [{}, {}, {}]): DispatcherRig {
  const rig = new DispatcherRig(runs.map((run, place) => waitingRun(place + 1, run)));
  rig.ask();
  rig.ask({ worker: 'w2' });
  rig.send({ kind: 'workers', workers: [...workers, ...registered('w2')] });
  return rig;
}

describe.each(NOT_ALLOWED)('a worker that is %s', (_what, workers, reason) => {
  it('a worker that is not allowed is granted nothing, and gets the reason', () => {
    const rig = new DispatcherRig([waitingRun(1)], {}, { workers });
    const ask: Partial<LeaseRequest> = { testbeds: [], builds: ['unshare'] };
    for (const changes of [{}, ask, { onlyHeld: true }]) {
      const { writes, reply, refusal } = rig.ask(changes);
      expect(writes).toEqual([]);
      expect(reply).toEqual({
        arch: 'amd64',
        epoch: 7,
        ask: leaseRequest().ask,
        askAgainMs: 5_000,
        lease: null,
        wanted: [],
        refused: reason,
        features: ['result-indexes', 'absent-verdict', 'source-names'],
      });
      expect(refusal).toBe(reason);
    }
    expect(rig.reasons()).toEqual(['no worker has requested work on amd64 yet']);
    expect(rig.send({ kind: 'status' }).reply.workers).toEqual([]);
  });

  it('a worker that is not allowed is asked for no canary test, and what it says of one means nothing', () => {
    const judgements = [{ worker: 'w1', standing: 'quarantined' as const, reason: 'x', agoMs: 9e9 }];
    const knownWorkerRig = new DispatcherRig([waitingRun(1)], {}, { judgements });
    const { canary } = knownWorkerRig.ask().reply;
    expect(canary).toBeDefined();
    const rig = new DispatcherRig([waitingRun(1)], {}, { workers, judgements });
    const result = { canary: canary!.canary, passed: true, message: 'fine' };
    for (const changes of [{}, { canary: result }])
      expect(rig.ask(changes).reply).not.toHaveProperty('canary');
    expect(rig.ask({ canary: result }).writes).toEqual([]);
  });

  it('a worker that is not allowed gets the answer stop at its renewal, and its run waits again, without a failed attempt', () => {
    const rig = rigThen(workers);
    const { writes, reply, workWaiting, refusal } = rig.send({ kind: 'renew', request: HELD });
    expect(writes).toEqual([
      { kind: 'requeue', runId: 1, attempt: 1, outcome: 'returned', reason, result: null },
    ]);
    expect(reply).toMatchObject({ instruction: 'stop', reason });
    expect([workWaiting, refusal]).toEqual([true, reason]);
    expect(rig.state.runs.find(1)).toMatchObject({ lease: null, attemptsLost: 0, failedOn: [] });
    expect(rig.send({ kind: 'renew', request: HELD })).toMatchObject({
      writes: [],
      reply: { instruction: 'stop', reason },
      refusal: reason,
    });
    expect(rig.ask({ worker: 'w2', slot: 1 }).reply.lease?.runId).toBe(1);
  });

  it.each([
    ['that its test has started', { kind: 'started', report: startedReport(1, 1) }],
    ['that a result is there', { kind: 'may-finish', report: finishedReport(1, 1) }],
    ['a result', { kind: 'finished', report: finishedReport(1, 1) }],
    ['a failure', { kind: 'finished', report: finishedReport(1, 1, { verdict: 'tmpfail' }) }],
    ['what cannot be read', { kind: 'report-refused', attempt: ATTEMPT, reason: 'no JSON' }],
  ] as const)(
    'a worker that is not allowed loses its lease when it reports %s, and nothing of the report is written',
    (_of, message) => {
      const rig = rigThen(workers);
      const { writes, reply, workWaiting } = rig.send(message);
      expect(writes).toEqual([
        { kind: 'requeue', runId: 1, attempt: 1, outcome: 'returned', reason, result: null },
      ]);
      expect([reply, workWaiting]).toEqual([message.kind === 'started' ? false : 'refused', true]);
      expect(rig.state.runs.find(1)).toMatchObject({ lease: null, attemptsLost: 0, latestFailed: false });
      rig.send({ kind: 'workers', workers: registered('w1', 'w2') });
      expect(rig.ask().reply.lease).toMatchObject({ runId: 1, attempt: 2 });
    },
  );

  it('a worker that is not allowed loses what its slot holds when that asks, and is not given it again', () => {
    const rig = rigThen(workers);
    expect(rig.ask().writes).toMatchObject([{ kind: 'requeue', runId: 1, outcome: 'returned', reason }]);
    rig.send({ kind: 'workers', workers: registered('w1', 'w2') });
    expect(rig.ask().reply.lease).toMatchObject({ runId: 1, attempt: 2 });
  });

  it('a worker that is not allowed changes nothing by reports of what it does not hold', () => {
    const rig = rigThen(workers);
    rig.send({ kind: 'renew', request: HELD });
    const tmpfail = finishedReport(1, 1, { verdict: 'tmpfail' });
    for (const message of [
      { kind: 'may-finish', report: finishedReport(1, 1) } as const,
      { kind: 'finished', report: finishedReport(1, 1) } as const,
      { kind: 'finished', report: tmpfail } as const,
      { kind: 'late', report: finishedReport(9, 1) } as const,
      { kind: 'report-refused', attempt: ATTEMPT, reason: 'it cannot be read' } as const,
      { kind: 'finished', report: finishedReport(2, 1) } as const,
    ])
      expect(rig.send(message)).toEqual({ writes: [], reply: 'refused', refusal: reason });
    const started = rig.send({ kind: 'started', report: startedReport(1, 1) });
    expect(started).toEqual({ writes: [], reply: false, refusal: reason });
    expect(rig.state.runs.find(1)).toMatchObject({ lease: null, attemptsLost: 0, latestFailed: false });
    expect(rig.state.runs.find(2)?.lease?.worker).toBe('w2');
  });

  it('a worker that is not allowed may hand back what it holds', () => {
    const rig = rigThen(workers);
    const request = { ...HELD, reason: 'the worker stops' };
    expect(rig.send({ kind: 'return', request })).toMatchObject({
      writes: [{ kind: 'requeue', outcome: 'returned' }],
      reply: { returned: true },
    });
  });

  it('a worker that is not allowed keeps no run from others for results that it says to have', () => {
    const rig = rigThen(workers);
    rig.send({ kind: 'renew', request: HELD });
    rig.ask({ kept: [{ runId: 1, attempt: 1 }] });
    expect(rig.ask({ worker: 'w2', slot: 1 }).reply.lease?.runId).toBe(1);
  });

  it('a worker that is not allowed takes no name from another process', () => {
    const rig = rigThen(workers);
    rig.ask({ incarnation: '00000000-0000-4000-8000-000000000002' });
    rig.send({ kind: 'workers', workers: registered('w1', 'w2') });
    expect(rig.ask().reply.lease?.runId).toBe(1);
  });
});

describe('revocations', () => {
  it('the leases of a revoked worker end at once, without a failed attempt, and it gets the order to stop', () => {
    const rig = new DispatcherRig([1, 2, 3].map((runId) => waitingRun(runId)));
    rig.ask();
    rig.ask({ slot: 1 });
    rig.ask({ worker: 'w2' });
    const { writes, stops, workWaiting } = rig.send({ kind: 'orders', orders: [REVOKE] });
    const reason = 'worker w1 was revoked by ada';
    const requeueWrite = { kind: 'requeue', attempt: 1, outcome: 'returned', reason, result: null };
    expect(writes).toEqual([
      { kind: 'ingest-order', orderId: 7 },
      { ...requeueWrite, runId: 1 },
      { ...requeueWrite, runId: 2 },
    ]);
    const stop = { worker: 'w1', attempt: 1, grantEpoch: 7, reason };
    expect(stops).toEqual([
      { ...stop, runId: 1 },
      { ...stop, runId: 2 },
    ]);
    expect(workWaiting).toBe(true);
    expect(rig.state.runs.find(1)).toMatchObject({ attemptsLost: 0, failedOn: [] });
    expect(rig.state.runs.find(3)?.lease?.worker).toBe('w2');
    expect(rig.state.judgements.standingOf('w1')).toBe('sound');
  });

  it('the reason for a stop says why the worker was revoked, if that is known', () => {
    const rig = new DispatcherRig([waitingRun(1)]);
    rig.ask();
    const { stops } = rig.send({ kind: 'orders', orders: [{ ...REVOKE, reason: 'sold' }] });
    expect(stops).toMatchObject([{ reason: 'worker w1 was revoked by ada: sold' }]);
  });

  it('a result of a revoked worker that is being stored is kept no longer', () => {
    const rig = new DispatcherRig([waitingRun(1)]);
    rig.ask();
    rig.send({ kind: 'may-finish', report: finishedReport(1, 1) });
    expect(rig.send({ kind: 'orders', orders: [REVOKE] }).writes).toMatchObject([{}, { kind: 'requeue' }]);
    expect(rig.ask({ worker: 'w2' }).reply.lease).toMatchObject({ runId: 1, attempt: 2 });
  });

  it('a revoked worker is no longer shown, and no longer counts as one that could execute something', () => {
    const rig = new DispatcherRig([waitingRun(1), waitingRun(2)]);
    rig.ask();
    rig.send({ kind: 'orders', orders: [REVOKE] });
    expect(rig.send({ kind: 'status' }).reply.workers).toEqual([]);
    expect(rig.reasons(2)).toEqual(['no worker has requested work on amd64 yet', expect.any(String)]);
  });

  it('a machine that is added under the name of a revoked worker has that name at once', () => {
    const rig = new DispatcherRig([waitingRun(1)]);
    rig.ask();
    rig.send({ kind: 'orders', orders: [REVOKE, { kind: 'register', orderId: 8 }] });
    rig.send({ kind: 'workers', workers: registered('w1') });
    expect(rig.ask({ incarnation: '00000000-0000-4000-8000-000000000002' }).reply.lease?.runId).toBe(1);
  });
});

it('a change of the register lets workers ask again', () => {
  const rig = new DispatcherRig([waitingRun(1)], {}, { workers: [] });
  expect(rig.ask().reply.lease).toBeNull();
  const { writes, workWaiting } = rig.send({ kind: 'workers', workers: registered('w1') });
  expect([writes, workWaiting]).toEqual([[], true]);
  expect(rig.ask().reply.lease?.runId).toBe(1);
});
