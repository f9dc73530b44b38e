import { canExecute } from './ability';
import { isBetterElsewhere, isStopped } from './choosing';
import type { DispatcherState } from './dispatcher-state';
import type { Lane } from './suite-queue';
import { isDrained } from './worker-pool';

/** Idle slots of a worker that should ask again. */
export interface SlotsToWake {
  worker: string;
  slots: number[];
}

/** Slots that are woken for one run, of different workers if possible: a signal may be lost, or its worker dead. */
const SLOTS_PER_RUN = 2;

/** While nothing waits, all idle slots together ask about once in this time, */
const ASK_EVERY_MS = 50;
/** but each waits at most this many times as long as usual. */
const ASK_LATER_MAX = 8;

/**
 * As many idle slots as there are runs for them, and some more; they count as woken from now on.
 * @returns null when there are too few: slots that are not known to be idle may ask as well
 */
export function slotsToWake(state: DispatcherState, now: number): SlotsToWake[] | null {
  const wanted = wantedSlots(state);
  const woken: SlotsToWake[] = [];
  for (const [worker, idle] of state.idle.entries()) {
    if (wanted.every(({ more }) => more <= 0)) break;
    const slots = idle.slice(0, take(state, worker, idle.length, wanted, now));
    if (slots.length > 0) woken.push({ worker, slots });
    for (const slot of slots) state.idle.remove({ worker, slot });
  }
  return wanted.every(({ more, lane }) => more <= lane.size * (SLOTS_PER_RUN - 1)) ? woken : null;
}

interface Wanted {
  lane: Lane;
  /** Slots that may still be woken for its runs. */
  more: number;
}

function wantedSlots(state: DispatcherState): Wanted[] {
  const queues = [...state.waiting.queues.all()].filter((queue) => !isStopped(state, queue));
  const lanes = queues.flatMap((queue) => [...queue.lanes()]);
  return lanes.map((lane) => ({ lane, more: lane.size * SLOTS_PER_RUN }));
}

/** How many of its idle slots a worker should use; other workers are not woken for the same runs. */
function take(state: DispatcherState, worker: string, idle: number, wanted: Wanted[], now: number): number {
  const known = state.workers.find(worker);
  const isOut = known?.problem !== undefined || isDrained(state, worker);
  if (!known || isOut || !state.judgements.mayBeGranted(worker, now)) return 0;
  let taken = 0;
  for (const each of wanted) {
    const { lane, more } = each;
    if (taken === idle || more <= 0) continue;
    if (!state.registered.mayExecute(worker, lane.needs) || !canExecute(known, lane.needs)) continue;
    if (isBetterElsewhere(state, worker, lane.needs, now)) continue;
    const some = Math.min(idle - taken, lane.size, more);
    each.more -= some;
    taken += some;
  }
  return taken;
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
