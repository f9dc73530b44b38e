import { canExecute } from './ability';
import { isBetterElsewhere, isStopped } from './choosing';
import type { DispatcherState } from './dispatcher-state';
import type { Lane } from './suite-queue';
import { isDrained } from './worker-pool';

/** Idle slots of a worker that should request again. */
export interface SlotsToWake {
  worker: string;
  slots: number[];
}

/**
 * How many slots are woken for one run, of different workers if possible: a signal may be lost, or its worker dead.
 */
const SLOTS_PER_RUN = 2;

/** While nothing waits, all idle slots together send about one request in this time, */
const ASK_EVERY_MS = 50;
/** but each waits at most this many times as long as usual. */
const ASK_LATER_MAX = 8;

/**
 * As many idle slots as there are runs for them, and some more; they count as woken from now on.
 * @returns null if there are too few: slots that are not known to be idle may request as well
 */
export function slotsToWake(state: DispatcherState, now: number): SlotsToWake[] | null {
  const demands = wantedSlots(state);
  const woken: SlotsToWake[] = [];
  for (const [worker, idle] of state.idle.entries()) {
    if (demands.every(({ more }) => more <= 0)) break;
    const slots = idle.slice(0, take(state, worker, idle.length, demands, now));
    if (slots.length > 0) woken.push({ worker, slots });
    for (const slot of slots) state.idle.remove({ worker, slot });
  }
  return demands.every(({ more, lane }) => more <= lane.size * (SLOTS_PER_RUN - 1)) ? woken : null;
}

interface LaneDemand {
  lane: Lane;
  /** Slots that may still be woken for its runs. */
  more: number;
}

function wantedSlots(state: DispatcherState): LaneDemand[] {
  const queues = [...state.waiting.queues.all()].filter((queue) => !isStopped(state, queue));
  const lanes = queues.flatMap((queue) => [...queue.lanes()]);
  return lanes.map((lane) => ({ lane, more: lane.size * SLOTS_PER_RUN }));
}

/** How many idle slots of a worker should be used; other workers are not woken for the same runs. */
function take(
  state: DispatcherState,
  worker: string,
  idle: number,
  demands: LaneDemand[],
  now: number,
): number {
  const knownWorker = state.workers.find(worker);
  const isOut = knownWorker?.problem !== undefined || isDrained(state, worker);
  if (!knownWorker || isOut || !state.judgements.mayBeGranted(worker, now)) return 0;
  let slots = 0;
  for (const each of demands) {
    const { lane, more } = each;
    if (slots === idle || more <= 0) continue;
    if (!state.registered.mayExecute(worker, lane.needs) || !canExecute(knownWorker, lane.needs)) continue;
    if (isBetterElsewhere(state, worker, lane.needs, now)) continue;
    const some = Math.min(idle - slots, lane.size, more);
    each.more -= some;
    slots += some;
  }
  return slots;
}

/**
 * When an idle slot that listens for a signal should ask again: the more such slots, and as long as nothing waits, the
 * later, but early enough that its worker counts as alive.
 */
export function nextAskMs({ idle, waiting, settings }: DispatcherState): number {
  const { askAgainMs, workerQuietMaxMs } = settings;
  if (!waiting.isEmpty) return askAgainMs;
  const laterMs = Math.min(idle.count * ASK_EVERY_MS, askAgainMs * ASK_LATER_MAX, (workerQuietMaxMs * 2) / 3);
  return Math.max(askAgainMs, Math.round(laterMs));
}
