import type { DispatcherState } from './dispatcher-state';

/** What memory knows of an unfinished run and its row does not tell. */
export interface Unwritten {
  attempt: number;
  /** Of the lease of that attempt; null when none was out. */
  lease: { renewedAtMs: number; hasSlot: boolean } | null;
  /** Until when no slot may have the run, and why. */
  delay: { notBeforeMs: number; reason: string } | null;
}

export function unwrittenOf(state: DispatcherState, runId: number): Unwritten | undefined {
  const run = state.runs.get(runId);
  if (!run) return undefined;
  const leased = state.leases.get(runId);
  const lease = leased && { renewedAtMs: leased.renewedAtMs, hasSlot: state.leases.hasSlot(leased) };
  return { attempt: run.attempt, lease: lease ?? null, delay: state.delays.get(runId) ?? null };
}

/** Gives a run that was just read from its row what was known of it before, as far as that is about the same attempt. */
export function restoreUnwritten(
  state: DispatcherState,
  runId: number,
  { attempt, lease, delay }: Unwritten,
  now: number,
): void {
  const run = state.runs.get(runId);
  if (run?.attempt !== attempt) return;
  const leased = state.leases.get(runId);
  if (leased && lease) {
    state.leases.renew(leased, Math.min(lease.renewedAtMs, now));
    if (!lease.hasSlot) state.leases.freeSlot(leased);
  }
  const knownMs = state.delays.get(runId)?.notBeforeMs ?? now;
  if (!leased && delay && delay.notBeforeMs > knownMs)
    state.delay(run, delay.notBeforeMs - now, delay.reason, now);
}

/**
 * A dispatcher has loaded its runs again: what its memory knew before goes on. No lease expires for the time in which
 * the dispatcher could not handle renewals.
 * @param awayMs how long that was, until `now`
 */
export function restoreAll(state: DispatcherState, past: DispatcherState, awayMs: number, now: number): void {
  state.hearingSinceMs = Math.min(past.hearingSinceMs + awayMs, now);
  state.reportsWaiting = past.reportsWaiting;
  for (const runId of state.runs.keys()) {
    const unwritten = unwrittenOf(past, runId);
    const leased = state.leases.get(runId);
    if (unwritten?.lease) unwritten.lease.renewedAtMs += awayMs;
    if (unwritten) restoreUnwritten(state, runId, unwritten, now);
    // Its end was reported or noticed before the commit failed: the slot has no more use for it.
    if (leased && !unwritten?.lease) state.leases.freeSlot(leased);
  }
}
