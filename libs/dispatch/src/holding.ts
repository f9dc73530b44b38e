import {
  cut,
  grantOf,
  isSameGrant,
  MESSAGE_LENGTH_MAX,
  type Grant,
  type RenewReply,
  type RenewRequest,
  type ReturnRequest,
  type Trouble,
} from '@proctor/contracts';
import { isLasting } from './blame';
import type { AttemptEnd, DispatcherState } from './dispatcher-state';
import type { DispatchedRun, RunOutcome, Write } from './journal';
import { isHeldBy, type LeasedRun, type Slot } from './leases';
import type { Step } from './messages';
import { rivalNotice } from './rivals';
import { retryDelayMs } from './settings';

/** As reports have it. */

/** A slot says that it still executes an attempt: it is told whether to go on. */
export function renewed(state: DispatcherState, request: RenewRequest, now: number): Step<'renew'> {
  const unregistered = state.registered.whyNotRegistered(request);
  if (unregistered !== undefined) return renewedInVain(state, request, unregistered, now);
  heard(state, request, now);
  const leased = leaseHeld(state, request);
  if (leased) state.leases.renew(leased, now);
  const verdict: Pick<RenewReply, 'instruction' | 'reason'> = leased
    ? { instruction: 'continue' }
    : { instruction: 'stop', reason: whyGone(state, request) };
  const notice = leased && rivalNotice(state, request.worker, now);
  const told = { ...verdict, ...(notice !== undefined && { notice }) };
  return { writes: [], reply: { ...state.answer, ...grantOf(request), ...told } };
}

/** Its sender is no worker of the architecture. */
function renewedInVain(
  state: DispatcherState,
  request: RenewRequest,
  reason: string,
  now: number,
): Step<'renew'> {
  const reply: RenewReply = { ...state.answer, ...grantOf(request), instruction: 'stop', reason };
  return { reply, ...takenBack(state, leaseHeld(state, request), reason, now) };
}

/**
 * The sender of a message is no worker of the architecture: what it holds waits again at once, without a failed attempt. It is
 * not given the same lease again, should it be added again.
 * @param leased what the message is about, if its sender holds it
 */
export function takenBack(
  state: DispatcherState,
  leased: LeasedRun | undefined,
  reason: string,
  now: number,
): Pick<Step, 'writes' | 'refusal' | 'workWaiting'> {
  if (!leased) return { writes: [], refusal: reason };
  const write = state.requeue(leased.run, { outcome: 'returned', reason }, 0, now);
  return { writes: [write], refusal: reason, workWaiting: true };
}

/** A slot hands its lease back unexecuted: the run waits again at once. Whoever holds a lease may do so. */
export function returned(state: DispatcherState, request: ReturnRequest, now: number): Step<'return'> {
  const refusal = state.registered.whyNotRegistered(request);
  if (refusal === undefined) heard(state, request, now);
  const { reason } = request;
  const leased = leaseHeld(state, request);
  const step = {
    reply: { ...state.answer, ...grantOf(request), returned: leased !== undefined },
    ...(refusal !== undefined && { refusal }),
  };
  if (!leased) return { writes: [], ...step };
  return {
    writes: [state.requeue(leased.run, { outcome: 'returned', reason }, 0, now)],
    ...step,
    workWaiting: true,
  };
}

/** A sign of life of a slot. */
export function heard(state: DispatcherState, slot: Slot, now: number): void {
  state.workers.heard(slot, now);
  state.lives.heard(slot, now);
}

/** Time has passed: leases expire and delays end. */
export function ticked(
  state: DispatcherState,
  hearing: boolean,
  expiringMs: number,
  now: number,
): Step<'tick'> {
  if (!hearing) state.hearingSinceMs = now;
  const writes = expireLeases(state, expiringMs, now);
  let workWaiting = false;
  for (let due = state.delays.nextDue(); due && due.notBeforeMs <= now; due = state.delays.nextDue()) {
    state.endDelay(due.run);
    workWaiting = true;
  }
  return { writes, reply: undefined, workWaiting };
}

/**
 * The attempt expired, was lost or failed: the run is tried again after a while, or ends when that was its last chance, as
 * it is for one whose trouble lasts, and for one of a package that has broken its testbed too often where others had
 * results: the next would take as long, for the same end.
 * Its worker or the run itself is blamed. An attempt that has expired already and turns out to have failed counts once.
 * @param trouble what the failed attempt smells of
 */
export function endWithoutResult(
  state: DispatcherState,
  run: DispatchedRun,
  end: AttemptEnd,
  now: number,
  trouble?: Trouble,
): Write[] {
  const { latestWorker: worker } = run;
  const isCounted = run.lease === null && worker !== null && run.failedOn.includes(worker);
  const death = end.outcome === 'failed' ? undefined : run.lease?.incarnation;
  const evidence = { trouble, death };
  const occasions = end.outcome === 'failed' && trouble !== 'archive' ? state.suspects.occasionsOf(run) : 0;
  const isItsPackage = occasions >= state.settings.blame.occasionsMax;
  const judged =
    isCounted || worker === null
      ? []
      : state.judgements.failed(state, run, worker, end.reason, now, evidence);
  if (!isCounted) run.attemptsLost += 1;
  const { retry } = state.settings;
  const isLast = isLasting(trouble) || isItsPackage || run.attemptsLost >= retry.attemptsMax;
  const why = isItsPackage ? whyNoMore(occasions) : '';
  const ended = isLast
    ? state.finish(run, end.result ? 'finished' : end.outcome, lastOutcome(run, end, why), now)
    : state.requeue(run, end, retryDelayMs(retry, run.attemptsLost), now);
  return [ended, ...judged];
}

/** Asks the very number that wakes the dispatcher, so that a rounding error cannot wake it for nothing, for ever. */
function expireLeases(state: DispatcherState, expiringMs: number, now: number): Write[] {
  const writes: Write[] = [];
  while ((state.nextExpiryMs ?? Infinity) <= expiringMs) {
    const silent = state.nextToExpire;
    if (!silent) break;
    const silentSeconds = Math.floor((now - silent.renewedAtMs) / 1000);
    const reason = `worker ${silent.lease.worker} was silent for ${silentSeconds} s`;
    writes.push(...endWithoutResult(state, silent.run, { outcome: 'expired', reason }, now));
  }
  return writes;
}

function leaseHeld(state: DispatcherState, request: Slot & Grant): LeasedRun | undefined {
  const leased = state.leases.get(request.runId);
  if (!leased || !isSameGrant(leased.run, request) || !isHeldBy(leased.lease, request)) return undefined;
  return leased;
}

function whyGone(state: DispatcherState, grant: Grant): string {
  const run = state.runs.get(grant.runId);
  if (!run) return state.cancelReasons.reasonOf(grant.runId) ?? 'the run has finished';
  if (run.attempt > grant.attempt) return `attempt ${run.attempt} was granted`;
  if (run.attempt < grant.attempt || !isSameGrant(run, grant)) return 'the database was restored since';
  return 'the lease has ended';
}

/** How a run ends whose last attempt allowed was in vain: with what that one left, if anything. */
function lastOutcome(run: DispatchedRun, { reason, result }: AttemptEnd, why: string): RunOutcome {
  const count = run.attemptsLost === 1 ? '1 attempt' : `${run.attemptsLost} attempts`;
  if (result) {
    const notes = [...(run.attemptsLost === 1 ? [] : [`after ${count}`]), ...(why === '' ? [] : [why])];
    const suffix = notes.length === 0 ? '' : ` (${notes.join('; ')})`;
    return { ...result, message: cut(result.message, MESSAGE_LENGTH_MAX - suffix.length) + suffix };
  }
  return {
    verdict: 'tmpfail',
    message: `no result after ${count}: ${reason}`,
    exitCode: null,
    version: null,
    durationSeconds: null,
    files: [],
    tests: [],
  };
}

function whyNoMore(occasions: number): string {
  return `not tried again: its package failed so ${occasions} times where other runs had results`;
}
