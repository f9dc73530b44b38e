import { DISPATCHER_FEATURES, type LeaseReply, type LeaseRequest } from '@proctor/contracts';
import { offersRoom } from './ability';
import { bestRun } from './choosing';
import type { DispatcherState } from './dispatcher-state';
import { nextAskMs } from './waking';
import { restoreLease } from './lease-keeping';
import type { Write } from './journal';
import type { DispatchedRun } from './journal-records';
import { awaitKeptResults } from './kept-results';
import { leaseOf, whyNotLeasable } from './lease-terms';
import { isHeldBy } from './leases';
import { isWakeable, whyOutdated } from './releases';
import type { Step } from './messages';
import { endWithoutResult } from './retries';
import { isAdmitted, rivalNotice, whyRefused } from './rivals';
import type { StandingDetails } from './standing-details';
import { isDrained } from './worker-pool';
import { testbedState } from './workers';

/** A slot of a worker that is not sound requests again when it may get a run, but not more often than this. */
const ASK_AGAIN_MIN_MS = 1_000;

/** The maximum number of testbeds that one answer names, so that there is space beside the largest lease. */
const WANTED_MAX = 50;

/**
 * A free slot requests a lease: it gets the one that it already holds, else the best waiting run that it can execute,
 * else perhaps a canary test. A slot that accepts no work gets the lease that it holds, so that it can hand it back.
 * A slot that has handed back several leases must wait.
 */
export function onLease(state: DispatcherState, request: LeaseRequest, now: number): Step<'lease'> {
  const unregistered = state.registered.whyNotRegistered(request);
  if (unregistered !== undefined) {
    const reply = refusal(state, request, unregistered);
    return { reply, ...restoreLease(state, state.leases.ofSlot(request), unregistered, now) };
  }
  if (!isAdmitted(state, request, now))
    return { writes: [], reply: refusal(state, request, whyRefused(state, request.worker)) };
  const outdated = whyOutdated(request, state.settings);
  state.workers.recordRequest(request, now, outdated);
  for (const slot of [request.slot, ...(request.busyElsewhere ?? [])])
    state.idle.remove({ worker: request.worker, slot });
  awaitKeptResults(state, request, now);
  const writes: Write[] = state.judgements.endCanary(state, request, now);
  const leasedRun = state.leases.ofSlot(request);
  const isHeldHere = leasedRun !== undefined && isHeldBy(leasedRun.lease, request);
  const unsendable = isHeldHere ? whyNotLeasable(leasedRun.run, state.settings) : undefined;
  if (leasedRun && isHeldHere && unsendable === undefined) {
    state.leases.renew(leasedRun, now);
    return { writes, reply: answer(state, request, leasedRun.run, now) };
  }
  if (leasedRun && unsendable !== undefined) {
    // The lease cannot be sent with the present configuration: the run waits until the configuration is corrected.
    writes.push(state.requeue(leasedRun.run, { outcome: 'returned', reason: unsendable }, 0, now));
  } else if (leasedRun) {
    const reason = `worker ${request.worker} was started again`;
    writes.push(...endWithoutResult(state, leasedRun.run, { outcome: 'lost', reason }, now));
  }
  if (outdated !== undefined) return { writes, reply: refusal(state, request, outdated), refusal: outdated };
  if (request.onlyHeld) return { writes, reply: heldAnswer(state, request, now) };
  const restMs = state.handBacks.restMs(request, now);
  if (restMs > 0)
    return { writes, reply: { ...answer(state, request, null, now), askAgainMs: Math.ceil(restMs) } };
  state.suspects.removeOld(now);
  const doubtCanary = state.judgements.isInDoubt(request.worker)
    ? state.judgements.canaryFor(state, request, now)
    : undefined;
  const choice = !doubtCanary && mayHaveRuns(state, request, now) ? bestRun(state, request, now) : undefined;
  if (choice?.isUndecided) return { writes, reply: answer(state, request, null, now), isUndecided: true };
  const run = choice?.run;
  if (run) {
    writes.push(state.grant(run, request, now));
    state.judgements.recordGrant(request.worker, run, now);
    return { writes, reply: answer(state, request, run, now) };
  }
  const canary = doubtCanary ?? state.judgements.canaryFor(state, request, now);
  if (canary) return { writes, reply: { ...answer(state, request, null, now), canary } };
  state.idle.add(request);
  return { writes, reply: idleAnswer(state, request, now) };
}

function idleAnswer(state: DispatcherState, request: LeaseRequest, now: number): LeaseReply {
  const reply = answer(state, request, null, now);
  const isSound = reply.standing === undefined && !state.judgements.isInDoubt(request.worker);
  return isWakeable(request) && isSound ? { ...reply, askAgainMs: nextAskMs(state) } : reply;
}

/** A slot that is busy elsewhere needs to request again only so that its worker counts as alive. */
function heldAnswer(state: DispatcherState, request: LeaseRequest, now: number): LeaseReply {
  const reply = answer(state, request, null, now);
  return { ...reply, askAgainMs: Math.max(reply.askAgainMs, state.settings.workerQuietMaxMs / 3) };
}

function mayHaveRuns(state: DispatcherState, { worker, problem }: LeaseRequest, now: number): boolean {
  return problem === undefined && !isDrained(state, worker) && state.judgements.mayBeGranted(worker, now);
}

function answer(
  state: DispatcherState,
  request: LeaseRequest,
  run: DispatchedRun | null,
  now: number,
): LeaseReply {
  const notice = rivalNotice(state, request.worker, now);
  const { askAgainMs } = state.settings;
  const details = state.judgements.detailsOf(state, request.worker, now);
  return {
    ...state.answer,
    ask: request.ask,
    lease: run && leaseOf(run, state.settings),
    wanted: wantedTestbeds(state, request),
    ...(notice !== undefined && { notice }),
    ...(details && { standing: standingOf(details) }),
    features: [...DISPATCHER_FEATURES],
    askAgainMs: details ? Math.min(askAgainMs, Math.max(ASK_AGAIN_MIN_MS, details.untilMs)) : askAgainMs,
  };
}

/** The public reason of the standing: a worker shows it to every user who can reach its health port. */
function standingOf({
  standing,
  publicReason: reason,
  untilMs,
}: StandingDetails): NonNullable<LeaseReply['standing']> {
  return { standing, reason, untilMs: Math.ceil(untilMs) };
}

function refusal(state: DispatcherState, { ask }: LeaseRequest, reason: string): LeaseReply {
  const { askAgainMs } = state.settings;
  const features = [...DISPATCHER_FEATURES];
  return { ...state.answer, ask, lease: null, wanted: [], refused: reason, features, askAgainMs };
}

/** Testbeds that waiting runs need and the worker could build; further ones follow after these. */
function wantedTestbeds(state: DispatcherState, request: LeaseRequest): LeaseReply['wanted'] {
  if (request.problem !== undefined || isDrained(state, request.worker)) return [];
  const testbeds = new Map<string, { suite: string; backend: string }>();
  for (const { needs } of [...state.waiting.queues.usedLanes(), ...state.lines.beyond]) {
    if (testbeds.size >= WANTED_MAX) break;
    const { suite, backend } = needs;
    if (!state.registered.mayExecute(request.worker, needs)) continue;
    if (offersRoom(request, needs) && testbedState(request, suite, backend) === 'absent') {
      // Names contain no space, so the key is unique.
      testbeds.set(`${suite} ${backend}`, { suite, backend });
    }
  }
  return [...testbeds.values()];
}
