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
import type { Beyond } from './view';
import type { DispatcherState } from './dispatcher-state';
import { ableSlots, prospectOf } from './estimates';
import type { DispatchedRun } from './journal-records';
import type { Step } from './messages';
import { drainOf, pauseOf } from './restrictions';
import { rivalNotice } from './rivals';
import { View } from './view';
import { livingWorkers, whyNoSlot, whyNoWorker } from './why-no-slot';
import { whyPaused, whySuiteAtCap } from './why-stopped';
import type { KnownWorker } from './workers';

/** Limit of the testbeds of one worker and of the reasons of one queue, so that each fits into a page. */
const TESTBEDS_BYTES_MAX = 64 * 1024;
const REASONS_MAX = 20;

/**
 * A page of the dispatcher's suite queues and workers. Queues that are empty and not paused are left out, and so
 * are private runs unless everything is asked for.
 */
export function onStatus(
  state: DispatcherState,
  { after, everything = false }: StatusRequest,
  now: number,
  beyond?: Beyond,
): Step<'status'> {
  const view = new View(state, { everything }, now, beyond);
  const isUndecided = () => (!beyond && state.lines.beyond.size > 0) || view.isUncounted;
  const { stopped } = state.settings;
  const head = { ...state.answer, ...(stopped !== undefined && { stopped }) };
  const reply: StatusReply = { ...head, workers: [], queues: [] };
  let bytes = 0;
  let last: StatusPlace | undefined;
  const takes = (entry: object, place: StatusPlace): boolean => {
    bytes += jsonBytes(entry) + 1;
    const fits = bytes <= STATUS_PAGE_BYTES_MAX || last === undefined;
    if (fits) last = place;
    else reply.more = last!;
    return fits;
  };
  for (const suite of suitesAfter(state, after, view)) {
    const queue = queueStatus(state, suite, view, now);
    if (!takes(queue, { kind: 'queue', name: suite }))
      return { writes: [], reply, isUndecided: isUndecided() };
    reply.queues.push(queue);
  }
  for (const knownWorker of workersAfter(state, after, now)) {
    const worker = workerStatus(state, knownWorker, view, now);
    if (!takes(worker, { kind: 'worker', name: knownWorker.worker }))
      return { writes: [], reply, isUndecided: isUndecided() };
    reply.workers.push(worker);
  }
  return { writes: [], reply, isUndecided: isUndecided() };
}

function workersAfter(state: DispatcherState, after: StatusPlace | undefined, now: number): KnownWorker[] {
  const workers = livingWorkers(state, now);
  return after?.kind === 'worker' ? workers.filter(({ worker }) => worker > after.name) : workers;
}

function suitesAfter(state: DispatcherState, after: StatusPlace | undefined, view: View): string[] {
  if (after?.kind === 'worker') return [];
  const paused = state.restrictions.pauses.flatMap(({ suite }) => suite ?? []);
  const suites = [
    ...new Set([...state.runs.perSuite(view.everything).keys(), ...view.publicBeyond().keys(), ...paused]),
  ].sort();
  return after ? suites.filter((suite) => suite > after.name) : suites;
}

function workerStatus(
  state: DispatcherState,
  knownWorker: KnownWorker,
  view: View,
  now: number,
): WorkerStatus {
  const { worker, variants, sizeClasses, version, protocol, machine } = knownWorker;
  const testbeds = withinBytes(knownWorker.testbeds, TESTBEDS_BYTES_MAX);
  const leftOut = knownWorker.testbeds.length - testbeds.length;
  const problem = knownWorker.problem ?? rivalNotice(state, worker, now);
  const details = state.judgements.detailsOf(state, worker, now);
  const drain = drainOf(state.restrictions, worker);
  return {
    worker,
    slots: knownWorker.slots.size,
    busy: view.busySlotsOf(knownWorker),
    testbeds,
    ...(leftOut > 0 && { testbedsLeftOut: leftOut }),
    variants,
    sizeClasses,
    standing: state.judgements.standingOf(worker),
    ...(details && { reason: view.reasonOf(details), untilMs: Math.ceil(details.untilMs) }),
    ...(drain && { drained: decisionOf(drain) }),
    ...(problem !== undefined && { problem }),
    ...(version !== undefined && { version }),
    protocol,
    ...(machine && view.seesMachineOf(knownWorker) && { machine }),
  };
}

function queueStatus(state: DispatcherState, suite: string, view: View, now: number): QueueStatus {
  const running = view.runningIn(suite);
  const beyond = view.publicBeyond().get(suite) ?? 0;
  const waiting = state.runs.perSuite(view.everything).of(suite) + beyond - running;
  const pause = pauseOf(state.restrictions, { suite });
  const needed = view.needsIn(suite);
  const slots = needed.map((needs) => ableSlots(state, needs, view, now));
  const canEnd = slots.every(({ total }) => total > 0);
  const reasons = [
    ...whyPaused(state, { suite }),
    ...needed.flatMap((needs) => whyNoWorker(state, needs, view, now)),
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
 * When the last run of the lowest level is expected to end, and the run that is delayed the longest. Runs
 * whose extra apt source is gone are left out.
 */
function lastEndMs(state: DispatcherState, suite: string, view: View, now: number): number | null {
  const ends = lastRuns(state, suite, view, now).map((run) => endMs(state, run, view, now));
  if (ends.length === 0) return null;
  return ends.reduce((latest, end) => (latest === null || end === null ? null : Math.max(latest, end)));
}

function lastRuns(state: DispatcherState, suite: string, view: View, now: number): DispatchedRun[] {
  const delayed = state.waiting.delays.last((run) => run.suite === suite && view.sees(run));
  return [lastWaiting(state, suite, view, now), delayed?.run].filter((run) => run !== undefined);
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
  const buckets = view.lanesOf(suite).flatMap((lane) => view.bucketsOf(lane));
  const inMemory = buckets.map((bucket) => bucket.last()).filter((run) => run !== undefined);
  const beyond = view
    .lastsBeyond()
    .filter((run) => run.suite === suite)
    .map((run) => {
      const copy = { ...run };
      state.ageing.rebase(copy, now);
      return copy;
    });
  let last: { run: DispatchedRun; level: number } | undefined;
  for (const run of [...inMemory, ...beyond]) {
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
