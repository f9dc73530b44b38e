import { DispatcherRig } from '@test/support/dispatcher-rig';
import { finishedReport, leaseRequest, loaded, settings, waitingRun } from '@test/support/runs';
import { crashesOf } from './crashes';
import { step } from './step';
import type { DispatchedRun, LostAttempt } from './journal-records';
import { stateOfLoaded } from './unwritten';

/** An attempt whose lease was handed back: its run waits, and its result may come still. */
const BAD = { package: 'bad', attempt: 1, grantEpoch: 7, latestWorker: 'w1' };
const FAILED = finishedReport(1, 1, { verdict: 'tmpfail', message: 'the testbed failed' });

/** The failure was reported in a turn that was lost, then another package had a result on the worker. */
function suspicionsOf(latestLost: LostAttempt | null): number {
  const before = new DispatcherRig([waitingRun(1, BAD)]);
  before.now += 1_000;
  before.send({ kind: 'finished', report: FAILED });
  const bad = waitingRun(1, { ...BAD, latestLost });
  const good = waitingRun(2, { package: 'good', priority: 9 });
  const past = { state: before.state, sinceMs: before.now };
  const state = stateOfLoaded(before.state, settings(), loaded([bad, good]), before.now + 500, past);
  step(state, { kind: 'lease', request: leaseRequest() }, before.now + 1_000);
  step(state, { kind: 'finished', report: finishedReport(2, 1) }, before.now + 2_000);
  return state.suspects.occasionsOf(bad);
}

it('a failure of a turn that was lost is withdrawn when its row does not have it', () => {
  expect(suspicionsOf(null)).toBe(0);
});

it('a failure of a turn that was lost stays when its row has it, as when the commit was not confirmed', () => {
  expect(suspicionsOf({ agoMs: 500, reason: 'the testbed failed' })).toBe(1);
});

describe('a package that crashes the runner before the runs are loaded again, and after', () => {
  const crash = { verdict: 'tmpfail', exitCode: 20, message: 'the test runner failed: KeyError' } as const;
  const BY_W1 = { attempt: 1, grantEpoch: 7, latestWorker: 'w1' };

  /** The write of its second attempt, by this worker. @param row of the run, as it is after the first attempt was reported */
  function secondEnd(worker: string, row: Partial<DispatchedRun>, isReportedAgain: boolean): unknown {
    const before = new DispatcherRig([waitingRun(1, BY_W1)]);
    before.finish(1, crash);
    const past = { state: before.state, sinceMs: before.now };
    const run = waitingRun(1, { ...BY_W1, ...row });
    const state = stateOfLoaded(before.state, settings(), loaded([run]), before.now, past);
    if (isReportedAgain)
      step(state, { kind: 'finished', report: finishedReport(1, 1, crash) }, before.now + 1_000);
    const later = before.now + 600_000;
    step(state, { kind: 'tick', workersReachable: true }, later);
    const { lease } = step(state, { kind: 'lease', request: leaseRequest({ worker }) }, later).reply;
    expect(lease?.attempt).toBe(2);
    const report = finishedReport(1, 2, { ...crash, worker, grantEpoch: lease!.grantEpoch });
    return step(state, { kind: 'finished', report }, later).writes[0];
  }

  const IN_ROWS = { latestFailed: true, latestLost: { agoMs: 0, reason: crash.message }, attemptsLost: 1 };

  it('has failed on two workers', () => {
    const outcome = expect.objectContaining({ verdict: 'fail' }) as object;
    expect(secondEnd('w2', IN_ROWS, false)).toMatchObject({ kind: 'finish', outcome });
  });

  it('has failed on two workers though another scheduler had the first crash', () => {
    const before = new DispatcherRig([waitingRun(1, BY_W1)]);
    const write = before.finish(1, crash).writes.find((each) => each.kind === 'requeue');
    const crashes = crashesOf([{ attempt: 1, worker: 'w1', crash: write?.crash ?? null }]);
    const after = new DispatcherRig([waitingRun(1, { ...BY_W1, ...IN_ROWS, crashes })]);
    after.now += 600_000;
    after.send({ kind: 'tick', workersReachable: true });
    const { lease } = after.send({ kind: 'lease', request: leaseRequest({ worker: 'w2' }) }).reply;
    const report = finishedReport(1, 2, { ...crash, worker: 'w2', grantEpoch: lease!.grantEpoch });
    const outcome = expect.objectContaining({ verdict: 'fail' }) as object;
    expect(after.send({ kind: 'finished', report }).writes[0]).toMatchObject({ kind: 'finish', outcome });
  });

  it('has crashed it at most as often as it was tested, though a report comes a second time', () => {
    expect(secondEnd('w1', {}, true)).toMatchObject({ kind: 'requeue' });
  });
});
