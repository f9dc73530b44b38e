import {
  jsonBytes,
  STATUS_PAGE_BYTES_MAX,
  withinBytes,
  type Decision,
  type QueueStatus,
  type StatusPlace,
  type StatusReply,
  type StatusRequest,
  type WorkerStatus,
} from '@proctor/contracts';
import { arrivedBefore } from './order';
import type { DispatcherState } from './dispatcher-state';
import { ableSlots, prospectOf } from './estimates';
import type { DispatchedRun } from './journal';
import type { Step } from './messages';
import { drainOf, pauseOf } from './restrictions';
import { rivalNotice } from './rivals';
import { View } from './view';
import { livingWorkers, whyNoSlot, whyNoWorker } from './why-no-slot';
import { whyPaused, whySuiteAtCap } from './why-stopped';
import type { KnownWorker } from './workers';

/** Of the testbeds of one worker, and of the reasons of one queue, so that each has room in a page. */
const TESTBEDS_BYTES_MAX = 64 * 1024;
const REASONS_MAX = 20;

/**
 * A page of the dispatcher's view of its suite queues and workers; queues that are empty and not paused are left out, and so
 * are private runs unless everything is asked for.
 */
export function onStatus(
  state: DispatcherState,
  { after, everything = false }: StatusRequest,
  now: number,
): Step<'status'> {
  const view = new View(state, { everything });
  const reply: StatusReply = { ...state.answer, workers: [], queues: [] };
  let bytes = 0;
  let last: StatusPlace | undefined;
  const takes = (entry: object, place: StatusPlace): boolean => {
    bytes += jsonBytes(entry) + 1;
    const fits = bytes <= STATUS_PAGE_BYTES_MAX || last === undefined;
    if (fits) last = place;
    else reply.more = last!;
    return fits;
  };
  for (const suite of suitesAfter(state, after, everything)) {
    const queue = queueStatus(state, suite, view, now);
    if (!takes(queue, { kind: 'queue', name: suite })) return { writes: [], reply };
    reply.queues.push(queue);
  }
  for (const known of workersAfter(state, after, now)) {
    const worker = workerStatus(state, known, view, now);
    if (!takes(worker, { kind: 'worker', name: known.worker })) return { writes: [], reply };
    reply.workers.push(worker);
  }
  return { writes: [], reply };
}

function workersAfter(state: DispatcherState, after: StatusPlace | undefined, now: number): KnownWorker[] {
  const workers = livingWorkers(state, now);
  return after?.kind === 'worker' ? workers.filter(({ worker }) => worker > after.name) : workers;
}

function suitesAfter(state: DispatcherState, after: StatusPlace | undefined, everything: boolean): string[] {
  if (after?.kind === 'worker') return [];
  const paused = state.restrictions.pauses.flatMap(({ suite }) => suite ?? []);
  const suites = [...new Set([...state.runs.perSuite(everything).keys(), ...paused])].sort();
  return after ? suites.filter((suite) => suite > after.name) : suites;
}

function workerStatus(state: DispatcherState, known: KnownWorker, view: View, now: number): WorkerStatus {
  const { worker, variants, sizeClasses } = known;
  const testbeds = withinBytes(known.testbeds, TESTBEDS_BYTES_MAX);
  const leftOut = known.testbeds.length - testbeds.length;
  const problem = known.problem ?? rivalNotice(state, worker, now);
  const details = state.judgements.detailsOf(state, worker, now);
  const drain = drainOf(state.restrictions, worker);
  return {
    worker,
    slots: known.slots.size,
    busy: view.busySlotsOf(known),
    testbeds,
    ...(leftOut > 0 && { testbedsLeftOut: leftOut }),
    variants,
    sizeClasses,
    standing: state.judgements.standingOf(worker),
    ...(details && { reason: view.reasonOf(details), untilMs: Math.ceil(details.untilMs) }),
    ...(drain && { drained: decisionOf(drain) }),
    ...(problem !== undefined && { problem }),
  };
}

function queueStatus(state: DispatcherState, suite: string, view: View, now: number): QueueStatus {
  const running = view.runningIn(suite);
  const waiting = state.runs.perSuite(view.everything).of(suite) - running;
  const pause = pauseOf(state.restrictions, suite);
  const lanes = view.lanesOf(suite);
  const slots = lanes.map(({ needs }) => ableSlots(state, needs, view, now));
  const canEnd = slots.every(({ total }) => total > 0);
  const reasons = [
    ...whyPaused(state, suite),
    ...lanes.flatMap(({ needs }) => whyNoWorker(state, needs, view, now)),
    ...whySuiteAtCap(state, suite, view),
    ...slots.flatMap(whyNoSlot),
  ];
  return {
    suite,
    waiting,
    running,
    emptyInMs: waiting === 0 ? 0 : canEnd ? lastEndMs(state, suite, view, now) : null,
    paused: pause ? decisionOf(pause) : null,
    reasons: atMost([...new Set(reasons)], REASONS_MAX),
  };
}

/**
 * When the run of the lowest level that arrived last is expected to end, and the one that is delayed the longest. Runs
 * whose extra apt source is gone are left out.
 */
function lastEndMs(state: DispatcherState, suite: string, view: View, now: number): number | null {
  const delayed = state.waiting.delays.last((run) => run.suite === suite && view.sees(run));
  const lasts = [lastWaiting(state, suite, view, now), delayed?.run];
  const ends = lasts.flatMap((run) => (run ? [endMs(state, run, view, now)] : []));
  if (ends.length === 0) return null;
  return ends.reduce((latest, end) => (latest === null || end === null ? null : Math.max(latest, end)));
}

function endMs(state: DispatcherState, run: DispatchedRun, view: View, now: number): number | null {
  const { startsInMs } = prospectOf(state, run, view, now);
  return startsInMs === null ? null : startsInMs + state.durations.expectedMs(run.package);
}

function lastWaiting(
  state: DispatcherState,
  suite: string,
  view: View,
  now: number,
): DispatchedRun | undefined {
  let last: { run: DispatchedRun; level: number } | undefined;
  for (const bucket of view.lanesOf(suite).flatMap((lane) => view.bucketsOf(lane))) {
    const run = bucket.last();
    if (!run) continue;
    const level = state.ageing.levelOf(run, now);
    const isLater = !last || level < last.level || (level === last.level && arrivedBefore(last.run, run));
    if (isLater) last = { run, level };
  }
  return last?.run;
}

function decisionOf({ by, reason, since }: Decision): Decision {
  return { by, reason, since };
}

function atMost(reasons: string[], max: number): string[] {
  if (reasons.length <= max) return reasons;
  return [...reasons.slice(0, max - 1), `and ${reasons.length - max + 1} more reasons`];
}
