import type { Testbed } from '@proctor/contracts';
import * as fc from 'fast-check';
import { DispatcherRig } from '@test/support/dispatcher-rig';
import { finishedReport, leaseRequest, waitingRun } from '@test/support/runs';

const MINUTE = 60_000;
const LONG = 1e12;
const USERS = ['ada', 'bob', 'eve'];

const run = fc.record({
  requestor: fc.constantFrom(...USERS),
  priority: fc.integer({ min: 1, max: 3 }),
  /** Lifts by a level, or not. */
  waitedMs: fc.constantFrom(0, LONG),
  suite: fc.constantFrom('trixie', 'trixie', 'sid'),
  arrivedAt: fc.nat(20),
  package: fc.constantFrom('hello', 'gcc'),
});
const situation = fc.record({
  runs: fc.array(run, { minLength: 1, maxLength: 40 }),
  usage: fc.array(fc.nat(12), { minLength: USERS.length, maxLength: USERS.length }),
  weights: fc.array(fc.constantFrom(1, 1, 2, 0.5), { minLength: USERS.length, maxLength: USERS.length }),
  asked: fc.nat(),
});
type Situation = typeof situation extends fc.Arbitrary<infer T> ? T : never;
const testbeds: Testbed[] = ['trixie', 'sid'].map((suite) => ({ suite, backend: 'unshare', state: 'ready' }));

function rigOf(played: Situation): DispatcherRig {
  // What has waited longer arrived earlier.
  const runs = played.runs.map((changes, index) =>
    waitingRun(index + 1, { ...changes, arrivedAt: changes.arrivedAt - changes.waitedMs }),
  );
  const usage = played.usage.map((quarters, index) => ({
    requestor: USERS[index]!,
    slotMs: (quarters * MINUTE) / 4,
    publicSlotMs: (quarters * MINUTE) / 4,
  }));
  const weightOf = (user: string) => played.weights[USERS.indexOf(user)]!;
  const changes = {
    fairShare: { halfLifeMs: Infinity, weightOf },
    ageing: { stepMs: LONG, stepsMax: 1 },
    unknownDurationMs: MINUTE,
    leaseTtlMs: 1e9,
    workerQuietMaxMs: 1e9,
  };
  return new DispatcherRig(runs, changes, { usage });
}

/** The one slot executes run after run, each for a minute, until it is granted the one asked for. */
function grantedBefore(rig: DispatcherRig, runId: number): number {
  for (let count = 0; ; count += 1) {
    const { lease } = rig.ask({ testbeds }).reply;
    if (!lease) throw new Error(`run ${runId} was never granted`);
    if (lease.runId === runId) return count;
    rig.now += MINUTE;
    const report = finishedReport(lease.runId, lease.attempt, { durationSeconds: 60 });
    rig.send({ kind: 'finished', report });
  }
}

it('the number of runs ahead comes true when no others arrive and each takes the mean', () => {
  fc.assert(
    fc.property(situation, (played) => {
      const rig = rigOf(played);
      const runId = 1 + (played.asked % played.runs.length);
      rig.state.workers.recordRequest(leaseRequest({ testbeds }), rig.now);
      const { ahead, position } = rig.explain(runId);
      expect(position).toBe(ahead! + 1);
      expect(grantedBefore(rig, runId)).toBe(ahead);
    }),
    { numRuns: 300 },
  );
});

it('the number of runs ahead does not count what other slots execute, what is paused, nor what is delayed', () => {
  const runs = [
    waitingRun(1, { suite: 'bookworm' }),
    waitingRun(2, { variant: 'stub' }),
    waitingRun(3, { package: 'gcc' }),
    waitingRun(4, { suite: 'sid' }),
    waitingRun(5),
    waitingRun(6),
    waitingRun(7),
  ];
  const pause = { suite: 'sid', by: 'ada', reason: 'mirror', since: '2026-11-20 10:00:00' };
  const rig = new DispatcherRig(
    runs,
    { sizeClassOf: (name) => (name === 'gcc' ? 'big' : null) },
    { restrictions: { pauses: [pause], drains: [] } },
  );
  rig.state.workers.recordRequest(leaseRequest({ testbeds }), rig.now);
  expect(rig.explain(7).ahead).toBe(2);
  rig.state.waiting.delay(rig.state.runs.find(5)!, rig.now + 1_000, 'because');
  expect(rig.explain(7).ahead).toBe(1);
  rig.send({ kind: 'restrictions', restrictions: { pauses: [], drains: [] } });
  expect(rig.explain(7).ahead).toBe(2);
});

it('the number of runs ahead counts runs that are parked or at a cap of their requestor', () => {
  const runs = [1, 2, 3, 4].map((runId) => waitingRun(runId, { package: 'gcc' }));
  const caps = { perRequestorMax: 1, perPackageMax: 1, perSuiteMax: Infinity };
  const rig = new DispatcherRig([...runs, waitingRun(5)], { caps });
  rig.ask();
  rig.ask({ slot: 1 });
  expect(rig.explain(5).ahead).toBe(3);
});

it('the number of runs ahead counts those that need the same while no worker could execute them', () => {
  const rig = new DispatcherRig([waitingRun(1), waitingRun(2, { suite: 'sid' }), waitingRun(3)]);
  expect(rig.explain(3).ahead).toBe(1);
});
