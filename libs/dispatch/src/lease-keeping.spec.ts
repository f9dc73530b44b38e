import { DispatcherRig } from '@test/support/dispatcher-rig';
import { ARCH, leaseRequest, loaded, settings, startedReport, waitingRun } from '@test/support/runs';
import { DispatcherState } from './dispatcher-state';
import { step } from './step';

const NEW_LIFE = '00000000-0000-4000-8000-000000000002';

describe('leases', () => {
  const renewal = (attempt: number) => ({ ...startedReport(1, attempt) });

  it('a lease lives as long as it is renewed', () => {
    const rig = new DispatcherRig([waitingRun(1)]);
    rig.ask();
    for (let renewals = 0; renewals < 10; renewals += 1) {
      expect(rig.tick(50_000).writes).toEqual([]);
      expect(rig.send({ kind: 'renew', request: renewal(1) }).reply.instruction).toBe('continue');
    }
  });

  it('a lease expires; its run waits longer after each attempt and ends after the last', () => {
    const rig = new DispatcherRig([waitingRun(1)]);
    rig.ask();
    expect(rig.tick(59_999).writes).toEqual([]);
    expect(rig.tick(1).writes).toMatchObject([{ kind: 'requeue', attempt: 1, outcome: 'expired' }]);
    expect(rig.send({ kind: 'renew', request: renewal(1) }).reply.instruction).toBe('stop');
    rig.tick(29_999);
    expect(rig.ask().reply.lease).toBeNull();
    rig.tick(1);
    expect(rig.ask().reply.lease?.attempt).toBe(2);
    rig.tick(60_000);
    rig.tick(60_000);
    expect(rig.ask().reply.lease?.attempt).toBe(3);
    expect(rig.tick(60_000).writes).toMatchObject([
      { kind: 'finish', attempt: 3, attemptOutcome: 'expired', outcome: { verdict: 'tmpfail' } },
    ]);
    expect(rig.state.nextDeadlineMs).toBeNull();
  });

  it('a lease that is handed back leaves its run waiting at once and counts for nothing', () => {
    const rig = new DispatcherRig([waitingRun(1)], {
      retry: { attemptsMax: 1, delayMs: 30_000, delayMaxMs: 600_000 },
    });
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      expect(rig.ask().reply.lease?.attempt).toBe(attempt);
      const { writes, reply, workWaiting } = rig.send({
        kind: 'return',
        request: { ...renewal(attempt), reason: 'not waited for' },
      });
      expect(writes).toMatchObject([{ kind: 'requeue', attempt, outcome: 'returned' }]);
      expect([reply.returned, workWaiting]).toEqual([true, true]);
      // A slot that hands back several rests.
      rig.tick(60_000);
    }
  });

  it.each([
    ['attempt', { attempt: 2 }],
    ['slot', { slot: 1 }],
    ['worker', { worker: 'w2' }],
    ['incarnation', { incarnation: NEW_LIFE }],
  ])('a lease of another %s is neither renewed nor returned', (_, changes) => {
    const rig = new DispatcherRig([waitingRun(1)]);
    rig.ask();
    const request = { ...renewal(1), ...changes, reason: 'mine' };
    expect(rig.send({ kind: 'renew', request }).reply.instruction).toBe('stop');
    const back = rig.send({ kind: 'return', request });
    expect([back.reply.returned, back.writes]).toEqual([false, []]);
  });

  const leased = () =>
    waitingRun(1, {
      attempt: 1,
      latestWorker: 'w1',
      lease: { worker: 'w1', incarnation: leaseRequest().incarnation, slot: 0, state: 'running', heldMs: 0 },
    });

  it('a lease does not expire while its own report waits, and those of others do', () => {
    const another = { ...leased(), runId: 2, lease: { ...leased().lease!, slot: 1 } };
    const state = new DispatcherState({ arch: ARCH, epoch: 7 }, settings(), loaded([leased(), another]), 0);
    const expired = (now: number) =>
      step<'tick'>(state, { kind: 'tick', workersReachable: true }, now).writes;
    const waiting = { runId: 1, attempt: 1, worker: 'w1' };
    step(state, { kind: 'reports-waiting', attempts: [waiting] }, 0);
    expect(state.nextDeadlineMs).toBe(60_000);
    expect(expired(60_000)).toMatchObject([{ kind: 'requeue', runId: 2, outcome: 'expired' }]);
    expect(expired(600_000)).toEqual([]);
    step(state, { kind: 'reports-waiting', attempts: [] }, 600_000);
    expect(expired(600_000)).toMatchObject([{ kind: 'requeue', runId: 1, outcome: 'expired' }]);
  });

  it('a lease expires though another worker reports of its attempt', () => {
    const state = new DispatcherState({ arch: ARCH, epoch: 7 }, settings(), loaded([leased()]), 0);
    step(state, { kind: 'reports-waiting', attempts: [{ runId: 1, attempt: 1, worker: 'w2' }] }, 0);
    expect(step<'tick'>(state, { kind: 'tick', workersReachable: true }, 60_000).writes).toHaveLength(1);
  });

  it('a lease expires though a report of an earlier attempt waits', () => {
    const state = new DispatcherState(
      { arch: ARCH, epoch: 7 },
      settings(),
      loaded([{ ...leased(), attempt: 2 }]),
      0,
    );
    step(state, { kind: 'reports-waiting', attempts: [{ runId: 1, attempt: 1, worker: 'w1' }] }, 0);
    expect(step<'tick'>(state, { kind: 'tick', workersReachable: true }, 60_000).writes).toHaveLength(1);
  });

  it('a lease does not expire after a load before it is known which reports wait', () => {
    const state = new DispatcherState({ arch: ARCH, epoch: 7 }, settings(), loaded([leased()]), 0);
    expect(step<'tick'>(state, { kind: 'tick', workersReachable: true }, 600_000).writes).toEqual([]);
    expect(state.nextDeadlineMs).toBeNull();
    step(state, { kind: 'reports-waiting', attempts: [] }, 600_000);
    expect(step<'tick'>(state, { kind: 'tick', workersReachable: true }, 600_000).writes).toHaveLength(1);
  });

  it('a lease does not expire after a load before a full time-to-live', () => {
    const rig = new DispatcherRig([leased()]);
    expect(rig.tick(59_999).writes).toEqual([]);
    expect(rig.tick(1).writes).toHaveLength(1);
  });

  it('a lease does not expire while workers cannot reach the dispatcher, nor for a time-to-live after that', () => {
    const rig = new DispatcherRig([waitingRun(1)]);
    rig.ask();
    expect(rig.tick(120_000, false).writes).toEqual([]);
    expect(rig.tick(59_999).writes).toEqual([]);
    expect(rig.tick(1).writes).toHaveLength(1);
  });
});
