import { DispatcherRig } from '../../../test/support/dispatcher-rig';
import { finishedReport, leaseRequest, loaded, settings, waitingRun } from '../../../test/support/runs';
import { step } from './step';
import type { LostAttempt } from './journal-records';
import { stateOfLoaded } from './unwritten';

/** An attempt whose lease was handed back: its run waits, and its result may come still. */
const BAD = { package: 'bad', attempt: 1, grantEpoch: 7, latestWorker: 'w1' };
const FAILED = finishedReport(1, 1, { verdict: 'tmpfail', message: 'the testbed failed' });

/** The failure was reported in a turn that was lost, then another package had a result on the worker. */
function suspicionsOf(latestLost: LostAttempt | null): number {
  const before = new DispatcherRig([waitingRun(1, BAD)]);
  before.now += 1_000;
  before.tell({ kind: 'finished', report: FAILED });
  const bad = waitingRun(1, { ...BAD, latestLost });
  const good = waitingRun(2, { package: 'good', priority: 9 });
  const past = { state: before.state, sinceMs: before.now };
  const state = stateOfLoaded(before.state, settings(), loaded([bad, good]), before.now + 500, past);
  step(state, { kind: 'lease', request: leaseRequest() }, before.now + 1_000);
  step(state, { kind: 'finished', report: finishedReport(2, 1) }, before.now + 2_000);
  return state.suspects.occasionsOf(bad);
}

it('a failure of a turn that was lost is withdrawn when its row does not tell of it', () => {
  expect(suspicionsOf(null)).toBe(0);
});

it('a failure of a turn that was lost stays when its row tells of it, as when the commit was not confirmed', () => {
  expect(suspicionsOf({ agoMs: 500, reason: 'the testbed failed' })).toBe(1);
});
