import * as fc from 'fast-check';
import { DispatcherRig } from '@test/support/dispatcher-rig';
import { finishedReport, settings, waitingRun } from '@test/support/runs';
import type { DispatchedRun } from './journal-records';

const HOUR = 3_600_000;
const FLOODERS = ['ada', 'bob', 'eve', 'kim'];

/** Slots of one worker that finish and ask on command, and who was granted what. */
class Floor {
  readonly grants: DispatchedRun[] = [];
  private lastRunId = 0;

  constructor(
    readonly rig: DispatcherRig,
    readonly slots: number,
  ) {}

  arrive(count: number, changes: Partial<DispatchedRun>): void {
    const runs = Array.from({ length: count }, () => {
      this.lastRunId += 1;
      return waitingRun(this.lastRunId, { ...changes, package: `p${this.lastRunId % 7}` });
    });
    this.rig.send({ kind: 'arrivals', runs });
  }

  /** The slot ends what it has after `ms`, at least 1, and asks. */
  turn(slot: number, ms: number): DispatchedRun | undefined {
    this.rig.now += ms;
    const leasedRun = [...this.rig.state.leases.all()].find(({ lease }) => lease.slot === slot)?.run;
    if (leasedRun) {
      const report = finishedReport(leasedRun.runId, leasedRun.attempt, { slot });
      this.rig.send({ kind: 'finished', report });
    }
    const { lease } = this.rig.ask({ slot }).reply;
    const run = lease ? this.rig.state.runs.find(lease.runId) : undefined;
    if (run) this.grants.push(run);
    return run;
  }

  /** @returns how many runs each requestor was granted since `mark` */
  grantsSince(mark: number): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { requestor } of this.grants.slice(mark)) counts[requestor] = (counts[requestor] ?? 0) + 1;
    return counts;
  }
}

function rigWith(usage: Record<string, number>, changes = {}): DispatcherRig {
  const entries = Object.entries(usage).map(([requestor, slotMs]) => ({
    requestor,
    slotMs,
    publicSlotMs: slotMs,
  }));
  return new DispatcherRig([], { leaseTtlMs: 1_000 * HOUR, ...changes }, { usage: entries });
}

const turns = fc.array(
  fc.record({
    slot: fc.nat(),
    ms: fc.oneof(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: HOUR })),
  }),
  { minLength: 1, maxLength: 60 },
);

it('fair share lets each requestor who has used as much or more go once at most before a newcomer of the same level', () => {
  const situation = fc.record({
    slots: fc.integer({ min: 1, max: 5 }),
    flooders: fc.integer({ min: 1, max: FLOODERS.length }),
    usage: fc.array(fc.nat(HOUR), { minLength: FLOODERS.length, maxLength: FLOODERS.length }),
    weights: fc.array(fc.constantFrom(1, 1, 0.5, 4), { minLength: 5, maxLength: 5 }),
    before: turns,
    after: turns,
  });
  fc.assert(
    fc.property(situation, ({ slots, flooders, usage, weights, before, after }) => {
      const names = FLOODERS.slice(0, flooders);
      const weightOf = (user: string) => weights[FLOODERS.indexOf(user) + 1] ?? 1;
      const shares = names.map((name, index) => usage[index]! / weightOf(name));
      const used = Object.fromEntries(names.map((name, index) => [name, usage[index]!]));
      const rig = rigWith(
        { ...used, zoe: Math.min(...shares) * weightOf('zoe') * 0.999 },
        { fairShare: { halfLifeMs: HOUR, weightOf }, ageing: { stepMs: HOUR, stepsMax: 0 } },
      );
      const floor = new Floor(rig, slots);
      for (const requestor of names) floor.arrive(130, { requestor });
      for (const { slot, ms } of before) floor.turn(slot % slots, ms);

      floor.arrive(1, { requestor: 'zoe' });
      const mark = floor.grants.length;
      for (const { slot, ms } of [...after, ...after, ...after]) {
        if (floor.turn(slot % slots, ms)?.requestor === 'zoe') break;
      }
      const counts = floor.grantsSince(mark);
      for (const name of names) expect(counts[name] ?? 0).toBeLessThanOrEqual(1);
      expect(floor.grants.length - mark).toBeLessThanOrEqual(flooders + 1);
    }),
    { numRuns: 150 },
  );
});

it('fair share gives free slots that ask at the same moment to different requestors', () => {
  const floor = new Floor(rigWith({}), 6);
  for (const requestor of ['ada', 'bob', 'eve']) floor.arrive(25_000, { requestor });
  for (let slot = 0; slot < 6; slot += 1) floor.turn(slot, 0);
  expect(floor.grantsSince(0)).toEqual({ ada: 2, bob: 2, eve: 2 });
});

it('fair share divides slots by weight', () => {
  const weightOf = (user: string) => (user === 'ada' ? 3 : 1);
  const floor = new Floor(rigWith({}, { fairShare: { halfLifeMs: HOUR, weightOf } }), 1);
  floor.arrive(200, { requestor: 'ada' });
  floor.arrive(200, { requestor: 'bob' });
  for (let turn = 0; turn < 120; turn += 1) floor.turn(0, 60_000);
  expect(floor.grantsSince(0)['ada']).toBeGreaterThanOrEqual(88);
  expect(floor.grantsSince(0)['ada']).toBeLessThanOrEqual(92);
});

it('fair share delays one run by one run of a requestor who waits with 25,000', () => {
  const floor = new Floor(rigWith({ zoe: 10 * HOUR, ada: 10 * HOUR }), 2);
  floor.arrive(25_000, { requestor: 'ada' });
  for (let turn = 0; turn < 50; turn += 1) floor.turn(turn % 2, 1_000);
  floor.arrive(1, { requestor: 'zoe' });
  expect(floor.turn(0, 1_000)?.requestor).toBe('zoe');
});

it('fair share does not put a higher priority behind a lower one', () => {
  const floor = new Floor(rigWith({ ada: 100 * HOUR }), 1);
  floor.arrive(5, { requestor: 'bob', priority: 5 });
  floor.arrive(5, { requestor: 'ada', priority: 6 });
  for (let turn = 0; turn < 5; turn += 1) expect(floor.turn(0, 60_000)?.requestor).toBe('ada');
});

/**
 * The stream has a run waiting whenever a slot asks, and its runs are granted before they age by a step. A run of at
 * most `stepsMax` levels less, of a user who uses no other slot time, then waits for as many steps as it has levels
 * less, and from there on for one run of each requestor of the stream and slot.
 */
it('bounded ageing lets nothing starve under a steady stream of a higher priority', () => {
  const situation = fc.record({
    slots: fc.integer({ min: 1, max: 3 }),
    levels: fc.integer({ min: 1, max: 2 }),
    lengthMs: fc.integer({ min: 100_000, max: HOUR }),
    backlog: fc.integer({ min: 1, max: 4 }),
    requestors: fc.integer({ min: 1, max: 3 }),
  });
  const { stepMs } = settings().ageing;
  fc.assert(
    fc.property(situation, ({ slots, levels, lengthMs, backlog, requestors }) => {
      const floor = new Floor(rigWith({}), slots);
      floor.arrive(1, { requestor: 'zoe', priority: 5 });
      const began = floor.rig.now;
      const stream = () => {
        const waiting = [...floor.rig.state.runs.values()].filter((run) => !run.lease);
        for (let count = waiting.length; count <= backlog; count += 1) {
          const requestor = FLOODERS[(floor.grants.length + count) % requestors]!;
          floor.arrive(1, { requestor, priority: 5 + levels });
        }
      };
      let mark: number | undefined;
      for (let turn = 0; ; turn += 1) {
        stream();
        const granted = floor.turn(turn % slots, lengthMs / slots);
        if (granted?.requestor === 'zoe') break;
        if (floor.rig.now - began >= levels * stepMs) mark ??= floor.grants.length - 1;
        if (mark !== undefined) expect(floor.grants.length - mark).toBeLessThanOrEqual(requestors);
      }
      expect(floor.rig.now - began).toBeGreaterThanOrEqual(levels * stepMs);
      expect(floor.rig.now - began).toBeLessThanOrEqual(levels * stepMs + (requestors + 1) * lengthMs);
    }),
    { numRuns: 40 },
  );
});
