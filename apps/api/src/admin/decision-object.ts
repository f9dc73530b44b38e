import type { PauseResource } from '@proctor/resources';
import { earliestOf, isQueuePaused, type Decision } from '@proctor/contracts';

/** The pause that stops a suite queue, from the answer of the dispatcher. */
export function pauseOfQueue(
  pauses: PauseResource[],
  queue: { suite: string; arch: string },
): Decision | null {
  const first = earliestOf(pauses.filter((pause) => isQueuePaused(pause, queue)));
  return first ? { by: first.by, reason: first.reason, since: first.since } : null;
}
