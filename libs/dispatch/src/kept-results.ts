import { isSameGrant, type LeaseRequest } from '@proctor/contracts';
import type { DispatcherState } from './dispatcher-state';
import type { DispatchedRun } from './journal-records';

/** Times-to-live of a lease for which a run waits at most for a result that does not come. */
const WAIT_TTLS_MAX = 10;

/**
 * An ask names grants whose results wait on its worker's disk. A run whose latest attempt is one of them is kept from every
 * slot for a time-to-live after each such ask, but for a limited time: else it would be executed twice.
 */
export function awaitKept(state: DispatcherState, request: LeaseRequest, now: number): void {
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
    // The life of the worker that executed it is over, its result is not.
    state.leases.renew(leased, now);
    state.leases.freeSlot(leased);
    return;
  }
  const untilMs = Math.min(now + leaseTtlMs, lastMs);
  const delayed = state.waiting.delays.find(run.runId);
  if ((delayed?.notBeforeMs ?? 0) >= untilMs) return;
  state.waiting.delay(run, untilMs, `its result is on its way from worker ${request.worker}`);
}
