import type { PauseResource } from '@proctor/resources';
import { earliestOf, isQueuePaused, type Decision } from '@proctor/contracts';

/** The pause that holds a suite queue back, as the dispatcher names it. */
export function pauseOfQueue(
  pauses: PauseResource[],
  queue: { suite: string; arch: string },
): Decision | null {
  const first = earliestOf(pauses.filter((pause) => isQueuePaused(pause, queue)));
  return first ? { by: first.by, reason: first.reason, since: first.since } : null;
}
