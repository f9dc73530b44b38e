import type { WorkerStanding } from '@proctor/contracts';
import { canExecute, needsOf, type Needs } from './ability';
import { isBetterElsewhere } from './choosing';
import type { DispatcherState } from './dispatcher-state';
import type { DispatchedRun } from './journal-records';
import { whyNotLeasable } from './lease-terms';
import type { LeasedRun } from './leases';
import { runsAhead, type Ahead } from './positions';
import { pauseOf } from './restrictions';
import type { View } from './view';
import { ableWorkers } from './worker-pool';
import type { KnownWorker } from './workers';

/**
 * The slots of living workers that could have a run and are not drained: those of the sound workers, else of the
 * slowed ones, else of the quarantined ones. A slot is free if it holds no lease that the viewer may know about.
 */
export interface AbleSlots {
  workers: KnownWorker[];
  /** Milliseconds until the first of the workers may have a run; 0 when they are sound. */
  untilMs: number;
  /** Milliseconds between two grants to any of these workers; 0 when they are sound. */
  intervalMs: number;
  /** Workers whose slots do not count, because such runs have failed there and others can execute them. */
  avoided: KnownWorker[];
  total: number;
  free: number;
  /** The number of slots that execute public runs of other architectures. */
  elsewhere: number;
  /**
   * The expected remaining time of all tests that run there, in milliseconds; a run of another architecture counts as
   * the mean of all packages.
   */
  remainingMs: number;
}

/** When, and after how many other runs, a waiting run starts if nothing changes. */
export interface Prospect {
  ahead: Ahead;
  slots: AbleSlots;
  /** Milliseconds until the start; null if it cannot be estimated. */
  startsInMs: number | null;
}

export function needsOfRun(state: DispatcherState, run: DispatchedRun): Needs {
  return needsOf(run, state.settings.sizeClassOf(run.package));
}

export function ableSlots(state: DispatcherState, needs: Needs, view: View, now: number): AbleSlots {
  const of = (standing: WorkerStanding) => ableWorkers(state, needs, now, standing);
  const able = [of('sound'), of('slowed'), of('quarantined')].find(({ length }) => length > 0) ?? [];
  const avoided = able.filter(({ worker }) => isBetterElsewhere(state, worker, needs, now));
  const workers = able.filter((candidate) => !avoided.includes(candidate));
  let total = 0;
  let busy = 0;
  let elsewhere = 0;
  let remainingMs = 0;
  for (const knownWorker of workers) {
    total += knownWorker.slots.size;
    busy += view.busySlotsOf(knownWorker);
    elsewhere += knownWorker.busyElsewhere.size;
    for (const leased of view.leasesOf(knownWorker)) remainingMs += remainingOf(leased, now);
  }
  remainingMs += elsewhere * state.durations.meanMs;
  const free = total - busy - elsewhere;
  return { workers, ...limitsOf(state, workers, now), avoided, total, free, elsewhere, remainingMs };
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

export function prospectOf(state: DispatcherState, run: DispatchedRun, view: View, now: number): Prospect {
  const needs = needsOfRun(state, run);
  const slots = ableSlots(state, needs, view, now);
  const ahead = runsAhead(state, run, competing(state, needs, slots), view, now);
  return { ahead, slots, startsInMs: startsInMs(state, run, { ahead, slots }, view, now) };
}

/** Runs compete when some worker could execute both. While no worker could, runs with the same needs compete. */
function competing(state: DispatcherState, needs: Needs, { workers }: AbleSlots): (others: Needs) => boolean {
  if (workers.length > 0)
    return (others) =>
      workers.some(
        (candidate) => state.registered.mayExecute(candidate.worker, others) && canExecute(candidate, others),
      );
  return (others) =>
    others.suite === needs.suite &&
    others.backend === needs.backend &&
    others.variant === needs.variant &&
    others.sizeClass === needs.sizeClass &&
    others.isPrivate === needs.isPrivate;
}

/**
 * An estimate from learned durations and living slots: what is executed and what goes first, spread over these slots. It is
 * rough: each run that goes first counts as the mean of all packages.
 */
function startsInMs(
  state: DispatcherState,
  run: DispatchedRun,
  { slots, ahead: { higher, sameLevel } }: Pick<Prospect, 'slots' | 'ahead'>,
  view: View,
  now: number,
): number | null {
  const isStopped = pauseOf(state.restrictions, run) || whyNotLeasable(run, state.settings) !== undefined;
  if (isStopped || slots.total === 0) return null;
  const ahead = higher + sameLevel;
  const workMs = slots.free > ahead ? 0 : slots.remainingMs + ahead * state.durations.meanMs;
  const notBeforeMs = state.waiting.delays.find(run.runId)?.notBeforeMs ?? now;
  const slowedMs = slots.untilMs + ahead * slots.intervalMs;
  return Math.round(
    Math.max(workMs / slots.total, slowedMs, notBeforeMs - now, untilCapsLetMs(state, run, view, now)),
  );
}

/** Milliseconds until the first of the leases that fill a cap is expected to end. */
function untilCapsLetMs({ settings }: DispatcherState, run: DispatchedRun, view: View, now: number): number {
  const { perRequestorMax, perPackageMax, perSuiteMax } = settings.caps;
  const untilMs = (max: number, counts: (other: DispatchedRun) => boolean): number => {
    const leased = max === Infinity ? [] : view.leases(counts);
    return leased.length < max ? 0 : Math.min(...leased.map((each) => remainingOf(each, now)));
  };
  return Math.max(
    untilMs(perRequestorMax, ({ requestor }) => requestor === run.requestor),
    untilMs(perPackageMax, (other) => other.package === run.package),
    untilMs(perSuiteMax, ({ suite }) => suite === run.suite),
  );
}

/** A run that takes longer than expected counts as if it needed the same time again: nothing else is known about its end. */
function remainingOf({ grantedAtMs, expectedMs }: LeasedRun, now: number): number {
  return Math.abs(grantedAtMs + expectedMs - now);
}
