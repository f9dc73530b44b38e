import type { WorkerStanding } from '@proctor/contracts';
import { canExecute, needsOf, type Needs } from './ability';
import { isBetterElsewhere } from './choosing';
import type { DispatcherState } from './dispatcher-state';
import type { DispatchedRun } from './journal';
import type { LeasedRun } from './leases';
import { runsAhead, type Ahead } from './positions';
import { pauseOf } from './standing';
import { ableWorkers, type KnownWorker } from './workers';

/**
 * The slots that could have a run, of living workers that are not drained: of the sound ones, else of the slowed ones,
 * else of the quarantined ones.
 */
export interface AbleSlots {
  workers: KnownWorker[];
  /** Until the first of the workers may have a run; 0 when they are sound. */
  untilMs: number;
  /** Between the grants of such workers together; 0 when they are sound. */
  intervalMs: number;
  /** Workers whose slots do not count, since such runs have failed there and can go elsewhere. */
  avoided: KnownWorker[];
  total: number;
  free: number;
  /** What the leases there are expected to take still, all together. */
  remainingMs: number;
}

/** When and after how many others a waiting run starts, as things are. */
export interface Prospect {
  ahead: Ahead;
  slots: AbleSlots;
  /** Null when nobody can tell. */
  startsInMs: number | null;
}

export function needsOfRun(state: DispatcherState, run: DispatchedRun): Needs {
  return needsOf(run, state.settings.sizeClassOf(run.package));
}

export function ableSlots(state: DispatcherState, needs: Needs, now: number): AbleSlots {
  const { suite, backend, variant, sizeClass } = needs;
  const of = (standing: WorkerStanding) =>
    ableWorkers(state, suite, backend, variant, sizeClass, now, standing);
  const able = [of('sound'), of('slowed'), of('quarantined')].find(({ length }) => length > 0) ?? [];
  const avoided = able.filter(({ worker }) => isBetterElsewhere(state, worker, needs, now));
  const workers = able.filter((known) => !avoided.includes(known));
  const names = new Set(workers.map(({ worker }) => worker));
  let total = 0;
  let busy = 0;
  for (const known of workers) {
    total += known.slots.size;
    busy += state.leases.busySlotsOf(known.worker, known.slots);
  }
  let remainingMs = 0;
  for (const leased of state.leases.all()) {
    if (names.has(leased.lease.worker)) remainingMs += remainingOf(leased, now);
  }
  return { workers, ...limitsOf(state, workers, now), avoided, total, free: total - busy, remainingMs };
}

function limitsOf(
  state: DispatcherState,
  workers: KnownWorker[],
  now: number,
): Pick<AbleSlots, 'untilMs' | 'intervalMs'> {
  const limits = workers.flatMap(({ worker }) => state.judgements.detailsOf(state, worker, now) ?? []);
  if (limits.length === 0) return { untilMs: 0, intervalMs: 0 };
  const perMs = limits.reduce((sum, { intervalMs }) => sum + (intervalMs ? 1 / intervalMs : 0), 0);
  return {
    untilMs: Math.min(...limits.map(({ untilMs }) => untilMs)),
    intervalMs: perMs === 0 ? 0 : 1 / perMs,
  };
}

export function prospectOf(state: DispatcherState, run: DispatchedRun, now: number): Prospect {
  const needs = needsOfRun(state, run);
  const slots = ableSlots(state, needs, now);
  const ahead = runsAhead(state, run, competing(needs, slots), now);
  return { ahead, slots, startsInMs: startsInMs(state, run, slots, ahead, now) };
}

/** Runs compete when some worker could execute either. While there is none, those that need just the same do. */
function competing(needs: Needs, { workers }: AbleSlots): (others: Needs) => boolean {
  if (workers.length > 0) return (others) => workers.some((known) => canExecute(known, others));
  return (others) =>
    others.suite === needs.suite &&
    others.backend === needs.backend &&
    others.variant === needs.variant &&
    others.sizeClass === needs.sizeClass;
}

/**
 * From learned durations and the slots alive: what runs there and what goes first, spread over these slots. A rough
 * guess: those ahead are taken to last as long as the mean of all packages.
 */
function startsInMs(
  state: DispatcherState,
  run: DispatchedRun,
  slots: AbleSlots,
  { higher, sameLevel }: Ahead,
  now: number,
): number | null {
  const isStopped = pauseOf(state.standing, run.suite) || state.whyNotLeasable(run) !== undefined;
  if (isStopped || slots.total === 0) return null;
  const ahead = higher + sameLevel;
  const workMs = slots.free > ahead ? 0 : slots.remainingMs + ahead * state.durations.meanMs;
  const notBeforeMs = state.delays.get(run.runId)?.notBeforeMs ?? now;
  const slowedMs = slots.untilMs + ahead * slots.intervalMs;
  return Math.round(
    Math.max(workMs / slots.total, slowedMs, notBeforeMs - now, untilCapsLetMs(state, run, now)),
  );
}

/** Until the first lease is expected to end of those that fill a cap. */
function untilCapsLetMs(state: DispatcherState, run: DispatchedRun, now: number): number {
  const { caps } = state.settings;
  const { leases, usage } = state;
  const untilMs = [0];
  if (usage.accountOf(run.requestor).running >= caps.perRequestorMax) {
    untilMs.push(firstEndMs(state, (other) => other.requestor === run.requestor, now));
  }
  if (leases.ofPackage.of(run.package) >= caps.perPackageMax) {
    untilMs.push(firstEndMs(state, (other) => other.package === run.package, now));
  }
  if (leases.ofSuite.of(run.suite) >= caps.perSuiteMax) {
    untilMs.push(firstEndMs(state, (other) => other.suite === run.suite, now));
  }
  return Math.max(...untilMs);
}

function firstEndMs(state: DispatcherState, counts: (run: DispatchedRun) => boolean, now: number): number {
  let firstMs = Infinity;
  for (const leased of state.leases.all()) {
    if (counts(leased.run)) firstMs = Math.min(firstMs, remainingOf(leased, now));
  }
  return firstMs;
}

/** Nothing for one that takes longer than it was expected to. */
function remainingOf({ grantedAtMs, expectedMs }: LeasedRun, now: number): number {
  return Math.max(0, grantedAtMs + expectedMs - now);
}
