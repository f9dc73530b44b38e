import type { DispatcherState } from './dispatcher-state';
import type { DispatchedRun } from './journal-records';

/** By so much more a duration may be than the dispatcher saw: one of the two machines may have slept. Seconds. */
export const DURATION_MARGIN_SECONDS = 180;

/**
 * What is believed of how long an attempt took, in seconds. No attempt can take longer than the time since it was granted, by
 * the dispatcher's own clock, so a longer one is cut to that: its verdict says something, its duration does not.
 */
export function believedSeconds(reportedSeconds: number, sinceGrantMs: number): number {
  return Math.min(reportedSeconds, Math.ceil(Math.max(0, sinceGrantMs) / 1000) + DURATION_MARGIN_SECONDS);
}

/** How long ago the latest attempt was granted; where memory does not know that, how long ago the run was asked for. */
export function sinceGrantMs(
  { leases, ageing }: Pick<DispatcherState, 'leases' | 'ageing'>,
  run: DispatchedRun,
  now: number,
): number {
  const grantedAtMs = leases.latestGrantMs(run);
  return grantedAtMs === undefined ? ageing.waitedMs(run, now) : now - grantedAtMs;
}
