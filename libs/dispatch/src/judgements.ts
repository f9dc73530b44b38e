import {
  cut,
  EXPLANATION_LENGTH_MAX,
  type CanaryTest,
  type LeaseRequest,
  type WorkerStanding,
  type SlotIdentity,
} from '@proctor/contracts';
import {
  canaryTestbed,
  failureOf,
  heldAgainst,
  isLasting,
  likelyCause,
  whyBlamed,
  whyBlamedInPublic,
  withFailure,
  type Evidence,
  type FailedAttempt,
} from './blame';
import type { AttemptOfRun, Write } from './journal';
import type { DispatchedRun, WorkerJudgement } from './journal-records';
import {
  canaryDueMs,
  grantTo,
  intervalMs,
  isEnough,
  isInDoubt,
  restoreJudgementState,
  soundAt,
  undoGrant,
  type JudgementState,
  type RowsRead,
} from './judgement-state';
import type { LeasedRun } from './leases';
import type { BlameSettings } from './settings';
import { inPublic, type Reasons, type StandingDetails } from './standing-details';
import { suspectKey, type Suspects } from './suspects';
import { isDrained, isReplaceable, type WorkerPool } from './worker-pool';

/** The reason for all users of a standing that an earlier owner of the architecture has written. */
const EARLIER_REASON = 'it was judged by an earlier scheduler';

/** The judged workers, and the packages that are suspected instead. */
interface JudgedPool extends WorkerPool {
  readonly arch: string;
  readonly epoch: number;
  readonly suspects: Suspects;
}

/**
 * The trust of a dispatcher in its workers, and the running canary tests. Standings are rows, so the next owner knows
 * them; everything else ends with the term.
 */
export class Judgements {
  /** Judged workers; the one that was changed the longest ago comes first. */
  private readonly byWorker = new Map<string, JudgementState>();
  private canaries = 0;

  /** @param settings returns the settings in use at the moment of the call */
  constructor(
    loaded: readonly WorkerJudgement[],
    now: number,
    private readonly settings: () => BlameSettings,
    private readonly workersMax: number,
  ) {
    for (const { worker, standing, reason, agoMs } of loaded) {
      if (standing === 'sound') continue;
      // The rows do not have the number of relapses; a quarantine goes on.
      const relapses = standing === 'quarantined' ? 1 : 0;
      this.byWorker.set(worker, {
        ...soundAt(now),
        standing,
        reason,
        publicReason: EARLIER_REASON,
        relapses,
        sinceMs: now - agoMs,
      });
    }
  }

  /** Takes over the memory from before the rows were read again. */
  restore(past: Judgements, rows: RowsRead): void {
    this.canaries = past.canaries;
    for (const [worker, before] of past.byWorker)
      this.remember(worker, restoreJudgementState(before, this.byWorker.get(worker), rows));
  }

  /** The number of workers against which something counts. */
  get size(): number {
    return this.byWorker.size;
  }

  standingOf(worker: string): WorkerStanding {
    return this.byWorker.get(worker)?.standing ?? 'sound';
  }

  /** Why the worker is not sound, and what comes next; undefined if it is sound. */
  detailsOf(state: JudgedPool, worker: string, now: number): StandingDetails | undefined {
    const judged = this.byWorker.get(worker);
    if (!judged || judged.standing === 'sound') return undefined;
    const { standing, reason, publicReason } = judged;
    const betweenMs = standing === 'slowed' ? intervalMs(judged, this.settings()) : null;
    const dueMs =
      betweenMs === null ? this.canaryDueMs(state, worker, judged, now) : judged.grantedAtMs + betweenMs;
    return { standing, reason, publicReason, untilMs: Math.max(0, dueMs - now), intervalMs: betweenMs };
  }

  mayBeGranted(worker: string, now: number): boolean {
    const judged = this.byWorker.get(worker);
    if (!judged || judged.standing === 'sound') return true;
    return judged.standing === 'slowed' && now - judged.grantedAtMs >= intervalMs(judged, this.settings());
  }

  recordGrant(worker: string, attempt: AttemptOfRun, now: number): void {
    const judged = this.byWorker.get(worker);
    if (judged) grantTo(judged, attempt, now);
  }

  /** Undoes a grant that its row refused. */
  withdrawGrant(worker: string, { runId, attempt }: AttemptOfRun): void {
    const judged = this.byWorker.get(worker);
    if (judged?.grant?.runId === runId && judged.grant.attempt === attempt) undoGrant(judged);
  }

  /**
   * A result that depends on the package: the worker can do its work, unless the attempt started before a canary test
   * failed there. Earlier failures here were the fault of the packages.
   */
  recordSuccess(
    state: JudgedPool,
    run: DispatchedRun,
    worker: string,
    leased: LeasedRun | undefined,
    now: number,
  ): Write[] {
    state.suspects.clear(run);
    this.acquit(run);
    const judged = this.byWorker.get(worker);
    if (!judged || judged.standing === 'quarantined') return [];
    if ((leased?.grantedAtMs ?? -Infinity) < (judged.canaryFailedMs ?? -Infinity)) return [];
    if (!this.isAnySound(state, now)) this.reprieveAll();
    this.clear(state, judged, now, run);
    this.byWorker.delete(worker);
    if (judged.standing === 'sound') return [];
    const reason = 'a run had a result here';
    return [{ kind: 'judge-worker', worker, standing: 'sound', reason }];
  }

  /**
   * The run's attempt on `worker` expired, was lost or failed. Call this before the worker is added to
   * `run.failedOn`.
   * @param message the reason, for people
   */
  recordFailure(
    state: JudgedPool,
    run: DispatchedRun,
    worker: string,
    message: string,
    now: number,
    { trouble, death }: Evidence = {},
  ): Write[] {
    const blamed = likelyCause(run.failedOn, worker, state.suspects.has(run), trouble);
    if (blamed === 'archive' || isLasting(trouble)) return [];
    const judged = this.byWorker.get(worker) ?? soundAt(now);
    this.remember(worker, judged);
    const isHeld = blamed === 'worker';
    judged.failures = withFailure(judged.failures, failureOf(run, { message, death, isHeld }, now));
    if (!isHeld || !isEnough(judged, this.settings())) return [];
    return this.convict(state, worker, judged, now);
  }

  /** Whether a canary test must first show whether the machine or the packages are to blame. */
  isInDoubt(worker: string): boolean {
    const judged = this.byWorker.get(worker);
    return judged?.standing === 'sound' && isInDoubt(judged, this.settings());
  }

  /** The canary test that a slot without a lease must execute. A slot that asks again gets the same one. */
  canaryFor(state: JudgedPool, request: LeaseRequest, now: number): CanaryTest | undefined {
    const judged = this.byWorker.get(request.worker);
    if (!judged || (judged.standing === 'sound' && !isInDoubt(judged, this.settings()))) return undefined;
    if (request.problem !== undefined || isDrained(state, request.worker)) return undefined;
    if (judged.canary && this.isAwaited(judged.canary, request, now)) {
      return judged.canary.slot.slot === request.slot ? judged.canary.test : undefined;
    }
    if (!judged.canary && now < this.canaryDueMs(state, request.worker, judged, now)) return undefined;
    const testbed = canaryTestbed(request, judged.failures);
    if (!testbed) return undefined;
    this.canaries += 1;
    const test = { canary: `${state.epoch}.${this.canaries}`, arch: state.arch, ...testbed };
    const { worker, incarnation, slot } = request;
    judged.canary = { test, slot: { worker, incarnation, slot }, askedAtMs: now };
    return test;
  }

  /** The slot's canary test has ended; ignored if it is not the awaited one. */
  endCanary(state: JudgedPool, request: LeaseRequest, now: number): Write[] {
    const { worker, canary: result } = request;
    const judged = this.byWorker.get(worker);
    if (!result || judged?.canary?.test.canary !== result.canary) return [];
    Object.assign(judged, { canary: null, canaryEnded: judged.canary, canaryEndedMs: now });
    if (result.passed) {
      this.clear(state, judged, now);
      judged.canaryFailedMs = null;
      if (judged.standing === 'sound') return [];
      judged.isOnProbation = true;
      return this.judge(worker, judged, 'sound', inPublic('the canary test passed'), now);
    }
    // The machine is to blame for what failed here.
    if (judged.canaryFailedMs === null)
      Object.assign(judged, { canaryFailedMs: now, grantedAtMs: now, grant: null });
    Object.assign(judged, { failures: [], isOnProbation: false });
    const standing = isReplaceable(state, worker, now) ? 'quarantined' : 'slowed';
    const reason = cut(`the canary test failed: ${result.message}`, EXPLANATION_LENGTH_MAX);
    return this.judge(worker, judged, standing, inPublic(reason), now);
  }

  /** Removes attempts that did not fail, or whose rows do not say so. */
  withdraw(isAmong: (attempt: FailedAttempt) => boolean): void {
    for (const judged of this.byWorker.values())
      judged.failures = judged.failures.filter((failure) => !isAmong(failure));
  }

  /** A user trusts the worker: everything against it is removed. */
  trust(worker: string, reason: string): Write[] {
    const judged = this.byWorker.get(worker);
    this.byWorker.delete(worker);
    if (!judged || judged.standing === 'sound') return [];
    return [{ kind: 'judge-worker', worker, standing: 'sound', reason: cut(reason, EXPLANATION_LENGTH_MAX) }];
  }

  /** A user quarantines the worker: as after a relapse, a canary test may later prove it sound. */
  quarantine(worker: string, why: string, now: number): Write[] {
    const judged = this.byWorker.get(worker) ?? soundAt(now);
    this.remember(worker, judged);
    Object.assign(judged, { relapses: Math.max(1, judged.relapses), isOnProbation: false });
    const reason = cut(why, EXPLANATION_LENGTH_MAX);
    return this.judge(worker, judged, 'quarantined', inPublic(reason), now);
  }

  private convict(state: JudgedPool, worker: string, judged: JudgementState, now: number): Write[] {
    const standing = isReplaceable(state, worker, now) ? 'quarantined' : 'slowed';
    if (judged.standing === 'quarantined' || judged.standing === standing) return [];
    const { isOnProbation } = judged;
    const failuresAgainst = heldAgainst(judged.failures);
    const reason = whyBlamed(failuresAgainst, isOnProbation);
    const publicReason = whyBlamedInPublic(failuresAgainst, isOnProbation);
    if (isOnProbation) judged.relapses += 1;
    judged.isOnProbation = false;
    return this.judge(worker, judged, standing, { reason, publicReason }, now);
  }

  /** The package has had a result, so it does not always fail: its earlier failures count against it on no worker. */
  private acquit(run: DispatchedRun): void {
    const key = suspectKey(run);
    for (const { failures } of this.byWorker.values())
      for (const failure of failures) if (suspectKey(failure) === key) failure.hasResultSince = true;
  }

  /** The worker has proved sound, by a canary test or the run's result. */
  private clear(state: JudgedPool, judged: JudgementState, now: number, by?: DispatchedRun): void {
    state.suspects.markFailed(judged.failures, now, by);
    judged.failures = [];
  }

  private isAwaited(
    { slot, askedAtMs }: NonNullable<JudgementState['canary']>,
    by: SlotIdentity,
    now: number,
  ): boolean {
    return slot.incarnation === by.incarnation && now - askedAtMs < this.settings().canaryTimeoutMs;
  }

  private canaryDueMs(state: JudgedPool, worker: string, judged: JudgementState, now: number): number {
    return canaryDueMs(judged, this.settings(), !isReplaceable(state, worker, now));
  }

  /** Whether a living worker is sound without a doubt. */
  private isAnySound(state: JudgedPool, now: number): boolean {
    const living = state.workers.listAliveSince(now - state.settings.workerQuietMaxMs);
    return living.some(({ worker }) => {
      const judged = this.byWorker.get(worker);
      return !judged || (judged.standing === 'sound' && !judged.isOnProbation);
    });
  }

  /** If all workers were in trouble, the machines were hardly the cause: relapsed ones need not wait long. */
  private reprieveAll(): void {
    for (const judged of this.byWorker.values()) judged.relapses = 0;
  }

  /** A row for each change. */
  private judge(
    worker: string,
    judged: JudgementState,
    standing: WorkerStanding,
    { reason, publicReason }: Reasons,
    now: number,
  ): Write[] {
    const isSame = judged.standing === standing;
    if (!isSame) Object.assign(judged, { sinceMs: now, grantedAtMs: now, grant: null });
    if (isSame && judged.reason === reason) return [];
    Object.assign(judged, { standing, reason, publicReason });
    return [{ kind: 'judge-worker', worker, standing, reason }];
  }

  /** Above the limit, the worker that was changed the longest ago is removed, a sound one by preference. */
  private remember(worker: string, judged: JudgementState): void {
    this.byWorker.delete(worker);
    this.byWorker.set(worker, judged);
    if (this.byWorker.size <= this.workersMax) return;
    const names = [...this.byWorker.keys()];
    const forgotten = names.find((name) => this.standingOf(name) === 'sound' && name !== worker) ?? names[0];
    if (forgotten !== undefined) this.byWorker.delete(forgotten);
  }
}
