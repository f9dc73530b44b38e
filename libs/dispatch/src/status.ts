import type { Decision, QueueStatus, StatusReply, WorkerStatus } from '@proctor/contracts';
import { rivalNotice } from './lives';
import { arrivedBefore } from './order';
import type { DispatcherState } from './dispatcher-state';
import { ableSlots, prospectOf } from './estimates';
import type { DispatchedRun } from './journal';
import type { Step } from './messages';
import { drainOf, pauseOf } from './standing';
import type { Lane } from './suite-queue';
import { livingWorkers, whyNoSlot, whyNoWorker } from './why-no-slot';
import { whyPaused, whySuiteAtCap } from './why-stopped';
import type { KnownWorker } from './workers';

/** The dispatcher's view of its workers and suite queues; queues that are empty and not paused are left out. */
export function statusAsked(state: DispatcherState, now: number): Step<'status'> {
  const workers = livingWorkers(state, now).map((known) => workerStatus(state, known, now));
  const reply: StatusReply = { ...state.answer, workers, queues: queues(state, now) };
  return { writes: [], reply };
}

function workerStatus(state: DispatcherState, known: KnownWorker, now: number): WorkerStatus {
  const { worker, testbeds, variants, sizeClasses } = known;
  const problem = known.problem ?? rivalNotice(state, worker, now);
  const details = state.judgements.detailsOf(state, worker, now);
  const drain = drainOf(state.standing, worker);
  return {
    worker,
    slots: known.slots.size,
    busy: state.leases.busySlotsOf(worker, known.slots),
    testbeds,
    variants,
    sizeClasses,
    standing: state.judgements.standingOf(worker),
    ...(details && { reason: details.reason, untilMs: Math.ceil(details.untilMs) }),
    ...(drain && { drained: decisionOf(drain) }),
    ...(problem !== undefined && { problem }),
  };
}

function queues(state: DispatcherState, now: number): QueueStatus[] {
  const paused = state.standing.pauses.flatMap(({ suite }) => suite ?? []);
  const suites = new Set([...state.unfinished.keys(), ...paused]);
  return [...suites].sort().map((suite) => queueStatus(state, suite, now));
}

function queueStatus(state: DispatcherState, suite: string, now: number): QueueStatus {
  const running = state.leases.ofSuite.of(suite);
  const waiting = state.unfinished.of(suite) - running;
  const pause = pauseOf(state.standing, suite);
  const lanes = [...(state.queues.of(suite)?.lanes() ?? [])];
  const slots = lanes.map(({ needs }) => ableSlots(state, needs, now));
  const canEnd = slots.every(({ total }) => total > 0);
  const reasons = [
    ...whyPaused(state, suite),
    ...lanes.flatMap(({ needs }) => whyNoWorker(state, needs, now)),
    ...whySuiteAtCap(state, suite),
    ...slots.flatMap(whyNoSlot),
  ];
  return {
    suite,
    waiting,
    running,
    emptyInMs: waiting === 0 ? 0 : canEnd ? lastEndMs(state, suite, lanes, now) : null,
    paused: pause ? decisionOf(pause) : null,
    reasons: [...new Set(reasons)],
  };
}

/**
 * When the run of the lowest level that arrived last is expected to end, and the one that is delayed the longest. Runs
 * whose extra apt source is gone are left out.
 */
function lastEndMs(state: DispatcherState, suite: string, lanes: Lane[], now: number): number | null {
  const lasts = [lastWaiting(state, lanes, now), state.delays.lastOf(suite)?.run];
  const ends = lasts.flatMap((run) => (run ? [endMs(state, run, now)] : []));
  if (ends.length === 0) return null;
  return ends.reduce((latest, end) => (latest === null || end === null ? null : Math.max(latest, end)));
}

function endMs(state: DispatcherState, run: DispatchedRun, now: number): number | null {
  const { startsInMs } = prospectOf(state, run, now);
  return startsInMs === null ? null : startsInMs + state.durations.expectedMs(run.package);
}

function lastWaiting(state: DispatcherState, lanes: Lane[], now: number): DispatchedRun | undefined {
  let last: { run: DispatchedRun; level: number } | undefined;
  for (const bucket of lanes.flatMap((lane) => [...lane.buckets()])) {
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
