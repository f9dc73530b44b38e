import {
  grantOf,
  isSameGrant,
  type Grant,
  type RenewReply,
  type RenewRequest,
  type ReturnRequest,
  type SlotIdentity,
} from '@proctor/contracts';
import type { DispatcherState } from './dispatcher-state';
import { endDrains } from './handing-back';
import type { Write } from './journal';
import { isHeldBy, type LeasedRun } from './leases';
import type { Step } from './messages';
import { endWithoutResult } from './retries';
import { rivalNotice } from './rivals';
import type { SignOfLife } from './workers';

/** A slot that still executes an attempt asks whether to go on. */
export function onRenew(state: DispatcherState, request: RenewRequest, now: number): Step<'renew'> {
  const unregistered = state.registered.whyNotRegistered(request);
  if (unregistered !== undefined) return refuseRenewal(state, request, unregistered, now);
  recordSignOfLife(state, request, now);
  const leased = leaseHeld(state, request);
  if (leased) state.leases.renew(leased, now);
  const verdict: Pick<RenewReply, 'instruction' | 'reason'> = leased
    ? { instruction: 'continue' }
    : { instruction: 'stop', reason: whyGone(state, request) };
  const notice = leased && rivalNotice(state, request.worker, now);
  const answer = { ...verdict, ...(notice !== undefined && { notice }) };
  return { writes: [], reply: { ...state.answer, ...grantOf(request), ...answer } };
}

/** Its sender is no worker of the architecture. */
function refuseRenewal(
  state: DispatcherState,
  request: RenewRequest,
  reason: string,
  now: number,
): Step<'renew'> {
  const reply: RenewReply = { ...state.answer, ...grantOf(request), instruction: 'stop', reason };
  return { reply, ...restoreLease(state, leaseHeld(state, request), reason, now) };
}

/**
 * Ends the lease of a sender that is no worker of the architecture: its runs wait again at once, without a failed
 * attempt. If it is added again, it does not get the same lease back.
 * @param leased the run of the message, if its sender holds its lease
 */
export function restoreLease(
  state: DispatcherState,
  leased: LeasedRun | undefined,
  reason: string,
  now: number,
): Pick<Step, 'writes' | 'refusal' | 'workWaiting'> {
  if (!leased) return { writes: [], refusal: reason };
  const write = state.requeue(leased.run, { outcome: 'returned', reason }, 0, now);
  return { writes: [write], refusal: reason, workWaiting: true };
}

/**
 * A slot hands its lease back: the run waits again at once, and a slot that did not start it rests. A worker that was revoked may
 * do so too.
 */
export function onReturn(state: DispatcherState, request: ReturnRequest, now: number): Step<'return'> {
  const refusal = state.registered.whyNotRegistered(request);
  if (refusal === undefined) recordSignOfLife(state, request, now);
  const { reason } = request;
  const leased = leaseHeld(state, request);
  const step = {
    reply: { ...state.answer, ...grantOf(request), returned: leased !== undefined },
    ...(refusal !== undefined && { refusal }),
  };
  if (!leased) return { writes: [], ...step };
  if (leased.lease.state === 'leased') state.handBacks.recordHandBack(request, now);
  return {
    writes: [state.requeue(leased.run, { outcome: 'returned', reason }, 0, now)],
    ...step,
    workWaiting: true,
  };
}

/** A sign of life of a slot. */
export function recordSignOfLife(state: DispatcherState, slot: SignOfLife, now: number): void {
  state.workers.recordSignOfLife(slot, now);
  state.lives.recordSignOfLife(slot, now);
}

/** Time has passed: leases expire, delays end, and drained workers hand back what they still have. */
export function onTick(
  state: DispatcherState,
  workersReachable: boolean,
  expiringMs: number,
  now: number,
): Step<'tick'> {
  if (!workersReachable) state.expiry.reachableSinceMs = now;
  const expired = expireLeases(state, expiringMs, now);
  const { writes, stops } = endDrains(state, expiringMs, now);
  let workWaiting = writes.length > 0;
  for (
    let due = state.waiting.delays.nextDue();
    due && due.notBeforeMs <= now;
    due = state.waiting.delays.nextDue()
  ) {
    state.waiting.endDelay(due.run);
    workWaiting = true;
  }
  return {
    writes: [...expired, ...writes],
    reply: undefined,
    workWaiting,
    ...(stops.length > 0 && { stops }),
  };
}

/** Uses the same number that wakes the dispatcher, so that a rounding error cannot wake it for nothing again and again. */
function expireLeases(state: DispatcherState, expiringMs: number, now: number): Write[] {
  const writes: Write[] = [];
  for (let next = state.expiry.next; next && next.atMs <= expiringMs; next = state.expiry.next) {
    const { leased: silent } = next;
    const silentSeconds = Math.floor((now - silent.renewedAtMs) / 1000);
    const reason = `worker ${silent.lease.worker} was silent for ${silentSeconds} s`;
    writes.push(...endWithoutResult(state, silent.run, { outcome: 'expired', reason }, now));
  }
  return writes;
}

function leaseHeld(state: DispatcherState, request: SlotIdentity & Grant): LeasedRun | undefined {
  const leased = state.leases.find(request.runId);
  if (!leased || !isSameGrant(leased.run, request) || !isHeldBy(leased.lease, request)) return undefined;
  return leased;
}

function whyGone(state: DispatcherState, grant: Grant): string {
  const run = state.runs.find(grant.runId);
  if (!run) return state.cancelReasons.reasonOf(grant.runId) ?? 'the run has finished';
  if (run.attempt > grant.attempt) return `attempt ${run.attempt} was granted`;
  if (run.attempt < grant.attempt || !isSameGrant(run, grant)) return 'the database was restored since';
  return 'the lease has ended';
}
