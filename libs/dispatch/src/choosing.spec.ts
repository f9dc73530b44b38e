import * as fc from 'fast-check';
import type { Testbed } from '@proctor/contracts';
import { DispatcherRig } from '@test/support/dispatcher-rig';
import { finishedReport, settings, waitingRun, leaseRequest } from '@test/support/runs';
import type { LoadedRows } from './journal';
import type { DispatchedRun, Restrictions } from './journal-records';
import { arrivedBefore } from './order';

const STEP_MS = 1_000;
const HOUR = 3_600_000;
const SUITES = ['sid', 'trixie'];
const WORKERS = ['w1', 'w2', 'w3'];
type How = 'pass' | 'tmpfail' | 'return';
const DECISION = { by: 'ada', reason: 'mirror', since: '2026-11-20 10:00:00' };

const runOf = fc.record({
  suite: fc.constantFrom(...SUITES),
  backend: fc.constantFrom('unshare', 'unshare', 'qemu'),
  package: fc.constantFrom('hello', 'dpkg', 'gcc'),
  requestor: fc.constantFrom('ada', 'bob', 'eve'),
  priority: fc.integer({ min: 1, max: 4 }),
  waitedMs: fc.integer({ min: 0, max: 4 }).map((steps) => steps * STEP_MS),
  failedOn: fc.constantFrom([], [], [], ['w1'], ['w2', 'w1']),
  isPrivate: fc.constantFrom(false, false, true),
});
const cap = fc.constantFrom(Infinity, 1, 2);
const offer = fc.record({
  worker: fc.constantFrom(...WORKERS),
  slot: fc.nat(5),
  testbeds: fc.constantFrom(['sid', 'trixie'], ['sid', 'trixie'], ['sid']).map((suites) =>
    suites.flatMap((suite): Testbed[] => [
      { suite, backend: 'unshare', state: 'ready' },
      { suite, backend: 'qemu', state: suite === 'sid' ? 'ready' : 'building' },
    ]),
  ),
  sizeClasses: fc.constantFrom<string[][]>([], ['big']),
});
const restrictions = fc.record({
  pauses: fc.constantFrom<Restrictions['pauses']>(
    [],
    [],
    [{ ...DECISION, suite: 'sid' }],
    [{ ...DECISION, suite: null }],
  ),
  drains: fc.constantFrom<Restrictions['drains']>([], [{ ...DECISION, worker: 'w3' }]),
});
const action = fc.oneof(
  { weight: 6, arbitrary: fc.record({ ask: offer }) },
  {
    weight: 3,
    arbitrary: fc.record({ end: fc.nat(), how: fc.constantFrom<How[]>('pass', 'tmpfail', 'return') }),
  },
  fc.record({ cancel: fc.nat() }),
  fc.record({ reprioritise: fc.nat(), priority: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ arrive: fc.array(runOf, { maxLength: 4 }) }),
  fc.record({ pass: fc.nat(2 * STEP_MS) }),
  fc.record({ suspect: fc.nat() }),
  fc.record({ decide: restrictions }),
);
const scenario = fc.record({
  runs: fc.array(runOf, { minLength: 10, maxLength: 40 }),
  caps: fc.record({ perRequestorMax: cap, perPackageMax: cap, perSuiteMax: cap }),
  usage: fc.constantFrom<LoadedRows['usage']>([], [{ requestor: 'ada', slotMs: 5_000, publicSlotMs: 0 }]),
  actions: fc.array(action, { minLength: 30, maxLength: 80 }),
});
type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never;
type Offer = typeof offer extends fc.Arbitrary<infer T> ? T : never;

/** The dispatcher beside a model that looks at every run. */
class Play {
  private readonly rig: DispatcherRig;
  private readonly offers = new Map<string, Offer>();
  private lastRunId = 0;
  private lastOrderId = 0;
  granted = 0;
  /** Runs of suspects that another run went before. */
  passedOver = 0;

  constructor({ runs, caps, usage }: Scenario) {
    this.rig = new DispatcherRig(
      runs.map((changes) => this.arrival(changes, 1_000)),
      {
        caps,
        ageing: { stepMs: STEP_MS, stepsMax: 2 },
        fairShare: { halfLifeMs: 10_000, weightOf: (user) => (user === 'eve' ? 3 : 1) },
        sizeClassOf: (name) => (name === 'gcc' ? 'big' : null),
        leaseTtlMs: HOUR,
        workerQuietMaxMs: HOUR,
        blame: { ...settings().blame, failuresMax: 1_000 },
        unknownDurationMs: 700,
        retry: { attemptsMax: 9, delayMs: 500, delayMaxMs: 500 },
      },
      { usage },
    );
  }

  act(step: Scenario['actions'][number]): void {
    if ('ask' in step) this.ask(step.ask);
    else if ('end' in step) this.end(this.pick(step.end, true), step.how);
    else if ('cancel' in step) this.order(this.pick(step.cancel), 'cancel', 0);
    else if ('reprioritise' in step) this.order(this.pick(step.reprioritise), 'reprioritise', step.priority);
    else if ('arrive' in step) {
      this.rig.send({
        kind: 'arrivals',
        runs: step.arrive.map((changes) => this.arrival(changes, this.rig.now)),
      });
    } else if ('pass' in step) this.rig.tick(step.pass);
    else if ('suspect' in step) this.suspect(this.pick(step.suspect));
    else this.rig.send({ kind: 'restrictions', restrictions: step.decide });
  }

  private ask(slotOffer: Offer): void {
    this.offers.set(slotOffer.worker, slotOffer);
    const { state } = this.rig;
    const expected = state.leases.ofSlot({ ...slotOffer, incarnation: '' })?.run ?? this.bestFor(slotOffer);
    const { lease } = this.rig.ask(slotOffer).reply;
    const isResting = state.handBacks.restMs(leaseRequest(slotOffer), this.rig.now) > 0;
    expect(lease?.runId).toBe(
      isResting && !state.leases.ofSlot({ ...slotOffer, incarnation: '' }) ? undefined : expected?.runId,
    );
    if (lease) this.granted += 1;
  }

  private bestFor(slotOffer: Offer): DispatchedRun | undefined {
    const { state, now } = this.rig;
    const { drains, pauses } = state.restrictions;
    if (drains.some(({ worker }) => worker === slotOffer.worker)) return undefined;
    const stands = (run: DispatchedRun) => pauses.every(({ suite }) => suite !== null && suite !== run.suite);
    const level = (run: DispatchedRun) => state.ageing.levelOf(run, now);
    const share = (run: DispatchedRun) => state.usage.shareOf(state.usage.accountOf(run.requestor), now);
    const able = [...state.runs.values()]
      .filter((run) => !run.lease && !state.waiting.delays.find(run.runId) && stands(run))
      .filter((run) => can(slotOffer, run) && this.isBelowCaps(run) && !this.isAvoided(slotOffer, run))
      .sort((a, b) => level(b) - level(a) || share(a) - share(b) || (arrivedBefore(a, b) ? -1 : 1));
    if (state.suspectTurns.isDue(slotOffer.worker, now)) return able[0];
    const unsuspected = able.find((run) => !state.suspects.has(run));
    if (unsuspected && unsuspected !== able[0]) this.passedOver += 1;
    return unsuspected ?? able[0];
  }

  private isBelowCaps(run: DispatchedRun): boolean {
    const { state } = this.rig;
    const { perRequestorMax, perPackageMax, perSuiteMax } = state.settings.caps;
    const leased = [...state.runs.values()].filter((other) => other.lease);
    const count = (key: 'requestor' | 'package' | 'suite') =>
      leased.filter((other) => other[key] === run[key]).length;
    return (
      count('requestor') < perRequestorMax && count('package') < perPackageMax && count('suite') < perSuiteMax
    );
  }

  private isAvoided(slotOffer: Offer, run: DispatchedRun): boolean {
    const { drains } = this.rig.state.restrictions;
    return (
      run.failedOn.includes(slotOffer.worker) &&
      [...this.offers.values()].some(
        (other) =>
          !run.failedOn.includes(other.worker) &&
          can(other, run) &&
          drains.every(({ worker }) => worker !== other.worker),
      )
    );
  }

  private end(run: DispatchedRun | undefined, how: How): void {
    if (!run?.lease) return;
    const { worker, incarnation, slot } = run.lease;
    const whose = { worker, incarnation, slot, runId: run.runId, attempt: run.attempt };
    if (how === 'return') this.rig.send({ kind: 'return', request: { ...whose, reason: 'not waited for' } });
    else {
      const report = finishedReport(run.runId, run.attempt, { ...whose, verdict: how, durationSeconds: 1 });
      this.rig.send({ kind: 'finished', report });
    }
  }

  private suspect(run: DispatchedRun | undefined): void {
    if (run) this.rig.state.suspects.mark({ ...run, failedAtMs: this.rig.now }, this.rig.now);
  }

  private order(run: DispatchedRun | undefined, kind: 'cancel' | 'reprioritise', priority: number): void {
    if (!run) return;
    const ids = { orderId: (this.lastOrderId += 1), runId: run.runId, place: null };
    const { attempt, grantEpoch } = run;
    const cancel = { ...ids, kind: 'cancel' as const, by: 'ada', attempt, grantEpoch, worker: null };
    const orders = [kind === 'cancel' ? cancel : { ...ids, kind, priority }];
    this.rig.send({ kind: 'orders', orders });
  }

  private pick(index: number, isLeased = false): DispatchedRun | undefined {
    const runs = [...this.rig.state.runs.values()].filter((run) => !isLeased || run.lease);
    return runs[index % runs.length];
  }

  /** All arrivals are by one clock, so a run that has waited longer arrived earlier. */
  private arrival(changes: Scenario['runs'][number], now: number): DispatchedRun {
    const failedOn = [...changes.failedOn];
    const arrivedAt = 1e9 + now - changes.waitedMs;
    return waitingRun((this.lastRunId += 1), { ...changes, failedOn, arrivedAt });
  }
}

function can({ testbeds, sizeClasses }: Offer, run: DispatchedRun): boolean {
  const isReady = testbeds.some(
    ({ suite, backend, state }) => suite === run.suite && backend === run.backend && state === 'ready',
  );
  return isReady && (run.package !== 'gcc' || sizeClasses.includes('big'));
}

it('the choice of a run is what a look at every run would find, whatever has happened', () => {
  let [granted, passedOver] = [0, 0];
  fc.assert(
    fc.property(scenario, (played) => {
      const play = new Play(played);
      for (const step of played.actions) play.act(step);
      granted += play.granted;
      passedOver += play.passedOver;
    }),
    { numRuns: 300 },
  );
  expect(granted).toBeGreaterThan(1_000);
  expect(passedOver).toBeGreaterThan(10);
});
