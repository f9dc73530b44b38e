import * as fc from 'fast-check';
import { DispatcherRig } from '@test/support/dispatcher-rig';
import { finishedReport, waitingRun } from '@test/support/runs';
import { believedSeconds, DURATION_MARGIN_SECONDS } from './believing';

const YEAR = 366 * 86_400;
const lease = { worker: 'w1', incarnation: '', slot: 0, state: 'running' as const, heldMs: 3_600_000 };

function estimateAfter(rig: DispatcherRig, attempt: number): number | null {
  const [write] = rig.finish(attempt, { durationSeconds: YEAR }).writes;
  if (write?.kind !== 'finish') throw new Error(`the report wrote ${String(write?.kind)}`);
  return write.outcome.durationSeconds;
}

describe('a duration is cut to the time since the grant', () => {
  it('of a lease that is out', () => {
    const rig = new DispatcherRig([waitingRun(1)]);
    rig.ask();
    rig.now += 30_000;
    expect(estimateAfter(rig, 1)).toBe(30 + DURATION_MARGIN_SECONDS);
  });

  it('of a lease that was out before the dispatcher', () => {
    const rig = new DispatcherRig([waitingRun(1, { attempt: 1, latestWorker: 'w1', grantEpoch: 0, lease })]);
    rig.now += 1_000;
    expect(estimateAfter(rig, 1)).toBe(3_601 + DURATION_MARGIN_SECONDS);
  });

  it('of a lease that has expired', () => {
    const rig = new DispatcherRig([waitingRun(1, { waitedMs: YEAR * 1000 })]);
    rig.ask();
    rig.tick(60_000);
    expect(rig.state.leases.find(1)).toBeUndefined();
    rig.now += 10_000;
    expect(estimateAfter(rig, 1)).toBe(70 + DURATION_MARGIN_SECONDS);
  });

  it('by the age of the run, where the grant was before the dispatcher and has expired', () => {
    const past = { attempt: 1, latestWorker: 'w1', waitedMs: 500_000 };
    const rig = new DispatcherRig([waitingRun(1, past)]);
    expect(estimateAfter(rig, 1)).toBe(500 + DURATION_MARGIN_SECONDS);
  });
});

it('one liar leaves estimates no longer than it held its leases', () => {
  const rig = new DispatcherRig([1, 2, 3].map((runId) => waitingRun(runId)));
  for (const runId of [1, 2]) {
    rig.ask();
    rig.now += 5_000;
    rig.send({ kind: 'finished', report: finishedReport(runId, 1, { durationSeconds: YEAR }) });
  }
  expect(rig.state.durations.meanMs).toBeLessThanOrEqual((5 + DURATION_MARGIN_SECONDS) * 1000);
});

it('the believed duration is at most the reported one and the time since the grant, and never below 0', () => {
  const secondsOfReport = fc.integer({ min: 0, max: YEAR });
  const since = fc.double({ min: -1e6, max: 1e12, noNaN: true });
  fc.assert(
    fc.property(secondsOfReport, since, (seconds, ms) => {
      const believed = believedSeconds(seconds, ms);
      expect(Number.isSafeInteger(believed) && believed >= 0 && believed <= seconds).toBe(true);
      expect(believed).toBeLessThanOrEqual(Math.max(0, ms) / 1000 + 1 + DURATION_MARGIN_SECONDS);
      if (seconds * 1000 <= ms) expect(believed).toBe(seconds);
    }),
  );
});
