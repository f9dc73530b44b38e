import type { FailedAttempt } from './blame';
import { DispatcherState } from './dispatcher-state';
import type { AttemptOfRun, LoadedRows, Write } from './journal';
import type { Crash, DispatchedRun } from './journal-records';
import type { Ownership } from './ownership';
import type { DispatchSettings } from './settings';

/** The memory of a dispatcher whose commit failed. */
export interface Past {
  state: DispatcherState;
  /** Since when messages could not be handled, in monotonic milliseconds. */
  sinceMs: number;
}

/** Facts about an unfinished run that its row does not have. */
interface Unwritten {
  attempt: number;
  /** The lease of that attempt; null when it had ended. */
  lease: { renewedAtMs: number; hasSlot: boolean } | null;
  /** Until when no slot may have the run, and why. */
  delay: { notBeforeMs: number; reason: string } | null;
  crashes: Crash[];
}

function unwrittenOf(state: DispatcherState, runId: number): Unwritten | undefined {
  const run = state.runs.find(runId);
  if (!run) return undefined;
  const leased = state.leases.find(runId);
  const lease = leased && { renewedAtMs: leased.renewedAtMs, hasSlot: state.leases.hasSlot(leased) };
  const delay = state.waiting.delays.find(runId) ?? null;
  return { attempt: run.attempt, lease: lease ?? null, delay, crashes: run.crashes ?? [] };
}

/** Adds to a run from the rows what memory knew before about the same attempt. */
function restoreUnwritten(
  state: DispatcherState,
  runId: number,
  { attempt, lease, delay, crashes }: Unwritten,
  now: number,
): void {
  const run = state.runs.find(runId);
  const crashesSoFar = crashes.filter((crash) => run && crash.attempt <= run.attempt);
  if (run && crashesSoFar.length > 0) run.crashes = crashesSoFar;
  if (run?.attempt !== attempt) return;
  const leased = state.leases.find(runId);
  if (leased && lease) {
    state.leases.renew(leased, Math.min(lease.renewedAtMs, now));
    if (!lease.hasSlot) state.leases.freeSlot(leased);
  }
  const knownMs = state.waiting.delays.find(runId)?.notBeforeMs ?? now;
  if (!leased && delay && delay.notBeforeMs > knownMs)
    state.waiting.delay(run, delay.notBeforeMs, delay.reason);
}

/** The attempt did not fail after all, so it counts against no worker and no package. */
export function withdraw(state: DispatcherState, { runId, attempt }: AttemptOfRun): void {
  const isIt = (other: AttemptOfRun) => other.runId === runId && other.attempt === attempt;
  state.judgements.withdraw(isIt);
  state.suspects.withdraw(isIt);
}

/** Rows refused these writes: undoes what memory learned from them about workers and packages. */
export function undoRefusedWrites(state: DispatcherState, writes: readonly Write[]): void {
  for (const write of writes) {
    if (write.kind === 'grant') state.judgements.withdrawGrant(write.worker, write);
    if (write.kind === 'requeue' || write.kind === 'finish') withdraw(state, write);
  }
}

/**
 * The memory of a dispatcher that has loaded its runs.
 * @param past the earlier memory, if the same owner loads the rows again; its knowledge is added
 */
export function stateOfLoaded(
  { arch, epoch }: Ownership,
  settings: DispatchSettings,
  loaded: LoadedRows,
  now: number,
  past?: Past,
): DispatcherState {
  const state = new DispatcherState({ arch, epoch }, settings, loaded, now, past?.state);
  if (past) restoreAll(state, past, now);
  return state;
}

/** No lease expires because of the time in which the dispatcher could not handle renewals. */
function restoreAll(state: DispatcherState, { state: past, sinceMs }: Past, now: number): void {
  const awayMs = now - sinceMs;
  state.expiry.reachableSinceMs = Math.min(past.expiry.reachableSinceMs + awayMs, now);
  state.expiry.reportsWaiting = past.expiry.reportsWaiting;
  for (const runId of state.runs.keys()) {
    const unwritten = unwrittenOf(past, runId);
    const leased = state.leases.find(runId);
    if (unwritten?.lease) unwritten.lease.renewedAtMs += awayMs;
    if (unwritten) restoreUnwritten(state, runId, unwritten, now);
    // Its end was reported or found before the commit failed: the slot no longer needs it.
    if (leased && !unwritten?.lease) state.leases.freeSlot(leased);
  }
  restoreBlame(state, past, sinceMs);
}

/**
 * A write about a run was refused: memory follows its row again.
 * @param row undefined if the run has finished
 * @param triedMs when the refused write was made: a lease that only memory knew was used until then
 * @returns whether a slot may now have a run that it could not have before
 */
export function correct(
  state: DispatcherState,
  runId: number,
  row: DispatchedRun | undefined,
  triedMs: number,
  now: number,
): boolean {
  const previous = state.runs.find(runId);
  const unwritten = unwrittenOf(state, runId);
  if (previous) state.removeRun(previous, triedMs);
  if (row) state.add(row, now);
  if (unwritten) restoreUnwritten(state, runId, unwritten, now);
  const isLeased = state.leases.find(runId) !== undefined;
  return (row !== undefined && !isLeased) || (unwritten?.lease != null && !isLeased);
}

/**
 * An attempt without a failure in its row has not failed: its end was found in the lost turn, and will be found
 * again. Failures of the same turn are also withdrawn for runs that are gone: these may have been cancelled before.
 */
function restoreBlame(state: DispatcherState, past: DispatcherState, lostSinceMs: number): void {
  const { runs, leases } = state;
  const isUnfounded = ({ runId, attempt, failedAtMs }: FailedAttempt) => {
    const run = runs.find(runId);
    return run ? run.attempt === attempt && run.latestLost === null : failedAtMs >= lostSinceMs;
  };
  const isGranted = ({ runId, attempt }: AttemptOfRun) => (runs.find(runId)?.attempt ?? Infinity) >= attempt;
  state.judgements.restore(past.judgements, { lostSinceMs, isUnfounded, isGranted });
  state.suspects.restore(past.suspects);
  state.suspects.withdraw(isUnfounded);
  state.suspectTurns.restore(
    past.suspectTurns,
    (worker, runId) => leases.find(runId)?.lease.worker === worker,
  );
}
