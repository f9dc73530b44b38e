import { isSameGrant, type LeaseRequest } from '@proctor/contracts';
import type { DispatcherState } from './dispatcher-state';
import type { DispatchedRun } from './journal-records';

/** How long a run waits at most for a result that does not come, in times-to-live of a lease. */
const WAIT_TTLS_MAX = 10;

/**
 * A request for a lease names grants whose results wait on its worker's disk. If one of them is a run's latest attempt, no slot gets
 * that run for a time-to-live after each such request, up to a limit: otherwise it would be executed twice.
 */
export function awaitKeptResults(state: DispatcherState, request: LeaseRequest, now: number): void {
  for (const grant of request.kept ?? []) {
    const run = state.runs.find(grant.runId);
    if (!run || !isSameGrant(run, grant)) continue;
    if (run.latestWorker === request.worker && !run.latestFailed) awaitResult(state, run, request, now);
  }
}

function awaitResult(state: DispatcherState, run: DispatchedRun, request: LeaseRequest, now: number): void {
  const { leaseTtlMs } = state.settings;
  const leased = state.leases.find(run.runId);
  // Its slot renews it.
  if (leased?.lease.incarnation === request.incarnation) return;
  const lastMs = state.awaited.startWait(run, now) + WAIT_TTLS_MAX * leaseTtlMs;
  if (now >= lastMs) return;
  if (leased) {
    // The worker's life that executed it has ended, but its result still comes.
    state.leases.renew(leased, now);
    state.leases.freeSlot(leased);
    return;
  }
  const untilMs = Math.min(now + leaseTtlMs, lastMs);
  const delayed = state.waiting.delays.find(run.runId);
  if ((delayed?.notBeforeMs ?? 0) >= untilMs) return;
  state.waiting.delay(run, untilMs, `its result is on its way from worker ${request.worker}`);
}
