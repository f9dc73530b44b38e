import type { DispatcherState } from './dispatcher-state';
import type { DispatchedRun } from './journal-records';

/** A duration may be longer by this than the dispatcher saw: one of the two machines may have slept. Seconds. */
export const DURATION_MARGIN_SECONDS = 180;

/**
 * The believable duration of an attempt, in seconds. No attempt can take longer than the time since it was granted, by
 * the dispatcher's own clock. A longer duration is cut to that; the verdict of the attempt is believed all the same.
 */
export function believedSeconds(reportedSeconds: number, sinceGrantMs: number): number {
  return Math.min(reportedSeconds, Math.ceil(Math.max(0, sinceGrantMs) / 1000) + DURATION_MARGIN_SECONDS);
}

/** How long ago the latest attempt was granted; if memory does not know that, how long ago the run was requested. */
export function sinceGrantMs(
  { leases, ageing }: Pick<DispatcherState, 'leases' | 'ageing'>,
  run: DispatchedRun,
  now: number,
): number {
  const grantedAtMs = leases.latestGrantMs(run);
  return grantedAtMs === undefined ? ageing.waitedMs(run, now) : now - grantedAtMs;
}
