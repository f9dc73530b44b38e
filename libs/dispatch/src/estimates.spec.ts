import { BlameRig } from '@test/support/blame-rig';
import { DispatcherRig } from '@test/support/dispatcher-rig';
import { waitingRun } from '@test/support/runs';

const MINUTE = 60_000;
const PATIENT = { unknownDurationMs: 10 * MINUTE, leaseTtlMs: 99 * MINUTE, workerQuietMaxMs: 99 * MINUTE };
const NO_CAPS = { perRequestorMax: Infinity, perPackageMax: Infinity, perSuiteMax: Infinity };
const runs = (count: number) => Array.from({ length: count }, (_, index) => waitingRun(index + 1));

describe('expected starts', () => {
  it('a run is expected to start at once while there are more free slots than runs ahead', () => {
    const rig = new DispatcherRig(runs(4), PATIENT);
    for (const slot of [0, 1, 2]) rig.ask({ slot });
    for (const runId of [1, 2]) rig.state.cancel(runId, 'not needed', rig.now);
    rig.send({ kind: 'arrivals', runs: [waitingRun(5), waitingRun(6)] });
    expect([4, 5].map((runId) => rig.explain(runId).startsInMs)).toEqual([0, 0]);
    expect(rig.explain(6).startsInMs).toBeGreaterThan(0);
  });

  it('a run is expected to start when the slots have executed what they have and what goes first', () => {
    const rig = new DispatcherRig(runs(5), PATIENT);
    for (const slot of [0, 1]) rig.ask({ slot });
    rig.tick(4 * MINUTE);
    // Six minutes to go in both slots, and two runs of ten minutes that go first.
    expect(rig.explain(5)).toMatchObject({ ahead: 2, startsInMs: ((2 * 6 + 2 * 10) / 2) * MINUTE });
  });

  it('slots that other architectures keep busy are taken to be so for the mean of all packages', () => {
    const rig = new DispatcherRig(runs(1), PATIENT);
    rig.ask({ slot: 1, onlyHeld: true, busyElsewhere: [0, 1] });
    expect(rig.explain(1)).toMatchObject({ ahead: 0, startsInMs: 10 * MINUTE });
    rig.ask({ slot: 1, onlyHeld: true, busyElsewhere: [1] });
    expect(rig.explain(1)).toMatchObject({ startsInMs: 0 });
  });

  it('a run that takes longer than expected is taken to need as much longer again', () => {
    const rig = new DispatcherRig(runs(2), PATIENT);
    rig.ask();
    rig.tick(10 * MINUTE);
    expect(rig.explain(2)).toMatchObject({ ahead: 0, startsInMs: 0 });
    rig.tick(19 * MINUTE);
    expect(rig.explain(2)).toMatchObject({ ahead: 0, startsInMs: 19 * MINUTE });
  });

  it('the expected start follows from learned durations', () => {
    const durations = [{ package: 'hello', durationMs: MINUTE }];
    const rig = new DispatcherRig(runs(3), PATIENT, { durations });
    rig.ask();
    expect(rig.explain(2).startsInMs).toBe(MINUTE);
    rig.finish(1, { durationSeconds: 160 });
    rig.ask();
    expect(rig.explain(3).startsInMs).toBe(90_000);
  });

  it('the expected start includes the time of leases that existed before the dispatcher', () => {
    const lease = { worker: 'w1', incarnation: '', slot: 0, state: 'running' as const, heldMs: 7 * MINUTE };
    const rig = new DispatcherRig([waitingRun(1, { attempt: 1, lease }), waitingRun(2)], PATIENT);
    rig.ask({ slot: 1, problem: undefined, testbeds: [] });
    rig.ask({ slot: 0, incarnation: '' });
    expect(rig.explain(2).startsInMs).toBe(3 * MINUTE);
  });

  it.each([
    ['user', { perRequestorMax: 1 }],
    ['package', { perPackageMax: 1 }],
    ['suite', { perSuiteMax: 1 }],
  ])('the expected start waits for the first lease that makes room below the cap of its %s', (_, cap) => {
    const rig = new DispatcherRig(runs(2), { ...PATIENT, caps: { ...NO_CAPS, ...cap } });
    for (const slot of [0, 1]) rig.ask({ slot });
    rig.tick(4 * MINUTE);
    expect(rig.explain(2).startsInMs).toBe(6 * MINUTE);
  });

  it('the expected start is not before the end of a delay', () => {
    const rig = new DispatcherRig(runs(1), PATIENT);
    rig.ask();
    rig.state.cancel(1, 'not needed', rig.now);
    rig.send({ kind: 'arrivals', runs: [waitingRun(2)] });
    rig.state.waiting.delay(rig.state.runs.find(2)!, rig.now + MINUTE, 'because');
    rig.tick(20_000);
    expect(rig.explain(2).startsInMs).toBe(40_000);
  });

  it('the expected start is not known without an able worker, during a pause, or without an extra apt source', () => {
    const rig = new DispatcherRig([waitingRun(1), waitingRun(2, { extraAptSources: ['gone'] })], PATIENT);
    expect(rig.explain(1).startsInMs).toBeNull();
    rig.ask();
    expect(rig.explain(2).startsInMs).toBeNull();
    rig.send({ kind: 'arrivals', runs: [waitingRun(3)] });
    expect(rig.explain(3).startsInMs).not.toBeNull();
    const pause = { suite: null, by: 'ada', reason: 'mirror', since: '2026-11-20 10:00:00' };
    rig.send({ kind: 'restrictions', restrictions: { pauses: [pause], drains: [] } });
    expect(rig.explain(3).startsInMs).toBeNull();
  });
});

describe('unsound workers', () => {
  function slowed(): BlameRig {
    const rig = new BlameRig({}, { unknownDurationMs: 1_000 });
    rig.fail('w1', 3);
    return rig;
  }

  it('a run that only a slowed worker could execute is expected to start as often as that gets one, and the reasons say until when', () => {
    const rig = slowed();
    expect(rig.explain(4)).toMatchObject({ ahead: 0, startsInMs: 5_000 });
    expect(rig.explain(14)).toMatchObject({ ahead: 10, startsInMs: 55_000 });
    const until = 'worker w1 is slowed (a run every 5 s, the next in 5 s)';
    expect(rig.reasons(4)).toContain(
      `${until}: attempts failed here in a row, the latest of a public run: run 3 (the testbed failed)`,
    );
    const toAdministrators = rig.reasons(4, { everything: true });
    const why = expect.stringContaining(`${until}: 3 failures here in a row: run 1 `);
    expect(toAdministrators).toContainEqual(why);
    const { workers, queues } = rig.send({ kind: 'status' }).reply;
    expect(workers).toMatchObject([{ standing: 'slowed', untilMs: 5_000 }]);
    expect(queues[0]!.emptyInMs).not.toBeNull();
  });

  it('a run that only a quarantined worker could execute is expected to start at its next canary test', () => {
    const rig = BlameRig.pair();
    rig.fail('w1', 3);
    rig.sendCanary('w1', rig.ask().reply, false);
    rig.drain('w2');
    rig.now += 20_000;
    expect(rig.explain(6).startsInMs).toBe(40_000);
    const why = 'worker w1 is quarantined (a canary test in 40 s): the canary test failed: no space left';
    expect(rig.reasons(6)).toContain(why);
  });
});
