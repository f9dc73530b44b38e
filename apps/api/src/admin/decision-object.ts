import type { PauseResource } from '@proctor/resources';
import { earliestOf, type Decision } from '@proctor/contracts';

/** The pause that holds a suite queue back, as the dispatcher names it. */
export function pauseOfQueue(
  pauses: PauseResource[],
  queue: { suite: string; arch: string },
): Decision | null {
  const first = earliestOf(
    pauses.filter(
      ({ suite, arch }) => (suite ?? queue.suite) === queue.suite && (arch ?? queue.arch) === queue.arch,
    ),
  );
  return first ? { by: first.by, reason: first.reason, since: first.since } : null;
}
