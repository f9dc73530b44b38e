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
    const judgement = this.byWorker.get(worker);
    if (!judgement || judgement.standing === 'sound') return undefined;
    const { standing, reason, publicReason } = judgement;
    const betweenMs = standing === 'slowed' ? intervalMs(judgement, this.settings()) : null;
    const dueMs =
      betweenMs === null
        ? this.canaryDueMs(state, worker, judgement, now)
        : judgement.grantedAtMs + betweenMs;
    return { standing, reason, publicReason, untilMs: Math.max(0, dueMs - now), intervalMs: betweenMs };
  }

  mayBeGranted(worker: string, now: number): boolean {
    const judgement = this.byWorker.get(worker);
    if (!judgement || judgement.standing === 'sound') return true;
    return (
      judgement.standing === 'slowed' && now - judgement.grantedAtMs >= intervalMs(judgement, this.settings())
    );
  }

  recordGrant(worker: string, attempt: AttemptOfRun, now: number): void {
    const judgement = this.byWorker.get(worker);
    if (judgement) grantTo(judgement, attempt, now);
  }

  /** Undoes a grant that its row refused. */
  withdrawGrant(worker: string, { runId, attempt }: AttemptOfRun): void {
    const judgement = this.byWorker.get(worker);
    if (judgement?.grant?.runId === runId && judgement.grant.attempt === attempt) undoGrant(judgement);
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
    const judgement = this.byWorker.get(worker);
    if (!judgement || judgement.standing === 'quarantined') return [];
    if ((leased?.grantedAtMs ?? -Infinity) < (judgement.canaryFailedMs ?? -Infinity)) return [];
    if (!this.isAnySound(state, now)) this.reprieveAll();
    this.clear(state, judgement, now, run);
    this.byWorker.delete(worker);
    if (judgement.standing === 'sound') return [];
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
    const cause = likelyCause(run.failedOn, worker, state.suspects.has(run), trouble);
    if (cause === 'archive' || isLasting(trouble)) return [];
    const judgement = this.byWorker.get(worker) ?? soundAt(now);
    this.remember(worker, judgement);
    const isHeld = cause === 'worker';
    judgement.failures = withFailure(judgement.failures, failureOf(run, { message, death, isHeld }, now));
    if (!isHeld || !isEnough(judgement, this.settings())) return [];
    return this.convict(state, worker, judgement, now);
  }

  /** Whether a canary test must first show whether the machine or the packages are to blame. */
  isInDoubt(worker: string): boolean {
    const judgement = this.byWorker.get(worker);
    return judgement?.standing === 'sound' && isInDoubt(judgement, this.settings());
  }

  /** The canary test that a slot without a lease must execute. A slot that asks again gets the same one. */
  canaryFor(state: JudgedPool, request: LeaseRequest, now: number): CanaryTest | undefined {
    const judgement = this.byWorker.get(request.worker);
    if (!judgement || (judgement.standing === 'sound' && !isInDoubt(judgement, this.settings())))
      return undefined;
    if (request.problem !== undefined || isDrained(state, request.worker)) return undefined;
    if (judgement.canary && this.isAwaited(judgement.canary, request, now)) {
      return judgement.canary.slot.slot === request.slot ? judgement.canary.test : undefined;
    }
    if (!judgement.canary && now < this.canaryDueMs(state, request.worker, judgement, now)) return undefined;
    const testbed = canaryTestbed(request, judgement.failures);
    if (!testbed) return undefined;
    this.canaries += 1;
    const test = { canary: `${state.epoch}.${this.canaries}`, arch: state.arch, ...testbed };
    const { worker, incarnation, slot } = request;
    judgement.canary = { test, slot: { worker, incarnation, slot }, askedAtMs: now };
    return test;
  }

  /** The slot's canary test has ended; ignored if it is not the awaited one. */
  endCanary(state: JudgedPool, request: LeaseRequest, now: number): Write[] {
    const { worker, canary: result } = request;
    const judgement = this.byWorker.get(worker);
    if (!result || judgement?.canary?.test.canary !== result.canary) return [];
    Object.assign(judgement, { canary: null, canaryEnded: judgement.canary, canaryEndedMs: now });
    if (result.passed) {
      this.clear(state, judgement, now);
      judgement.canaryFailedMs = null;
      if (judgement.standing === 'sound') return [];
      judgement.isOnProbation = true;
      return this.judge(worker, judgement, 'sound', inPublic('the canary test passed'), now);
    }
    // The machine is to blame for what failed here.
    if (judgement.canaryFailedMs === null)
      Object.assign(judgement, { canaryFailedMs: now, grantedAtMs: now, grant: null });
    Object.assign(judgement, { failures: [], isOnProbation: false });
    const standing = isReplaceable(state, worker, now) ? 'quarantined' : 'slowed';
    const reason = cut(`the canary test failed: ${result.message}`, EXPLANATION_LENGTH_MAX);
    return this.judge(worker, judgement, standing, inPublic(reason), now);
  }

  /** Removes attempts that did not fail, or whose rows do not say so. */
  withdraw(isAmong: (attempt: FailedAttempt) => boolean): void {
    for (const judgement of this.byWorker.values())
      judgement.failures = judgement.failures.filter((failure) => !isAmong(failure));
  }

  /** A user trusts the worker: everything against it is removed. */
  trust(worker: string, reason: string): Write[] {
    const judgement = this.byWorker.get(worker);
    this.byWorker.delete(worker);
    if (!judgement || judgement.standing === 'sound') return [];
    return [{ kind: 'judge-worker', worker, standing: 'sound', reason: cut(reason, EXPLANATION_LENGTH_MAX) }];
  }

  /** A user quarantines the worker: as after a relapse, a canary test may later prove it sound. */
  quarantine(worker: string, why: string, now: number): Write[] {
    const judgement = this.byWorker.get(worker) ?? soundAt(now);
    this.remember(worker, judgement);
    Object.assign(judgement, { relapses: Math.max(1, judgement.relapses), isOnProbation: false });
    const reason = cut(why, EXPLANATION_LENGTH_MAX);
    return this.judge(worker, judgement, 'quarantined', inPublic(reason), now);
  }

  private convict(state: JudgedPool, worker: string, judgement: JudgementState, now: number): Write[] {
    const standing = isReplaceable(state, worker, now) ? 'quarantined' : 'slowed';
    if (judgement.standing === 'quarantined' || judgement.standing === standing) return [];
    const { isOnProbation } = judgement;
    const failuresAgainst = heldAgainst(judgement.failures);
    const reason = whyBlamed(failuresAgainst, isOnProbation);
    const publicReason = whyBlamedInPublic(failuresAgainst, isOnProbation);
    if (isOnProbation) judgement.relapses += 1;
    judgement.isOnProbation = false;
    return this.judge(worker, judgement, standing, { reason, publicReason }, now);
  }

  /** The package has had a result, so it does not always fail: its earlier failures count against it on no worker. */
  private acquit(run: DispatchedRun): void {
    const key = suspectKey(run);
    for (const { failures } of this.byWorker.values())
      for (const failure of failures) if (suspectKey(failure) === key) failure.hasResultSince = true;
  }

  /** The worker has proved sound, by a canary test or the run's result. */
  private clear(state: JudgedPool, judgement: JudgementState, now: number, by?: DispatchedRun): void {
    state.suspects.markFailed(judgement.failures, now, by);
    judgement.failures = [];
  }

  private isAwaited(
    { slot, askedAtMs }: NonNullable<JudgementState['canary']>,
    by: SlotIdentity,
    now: number,
  ): boolean {
    return slot.incarnation === by.incarnation && now - askedAtMs < this.settings().canaryTimeoutMs;
  }

  private canaryDueMs(state: JudgedPool, worker: string, judgement: JudgementState, now: number): number {
    return canaryDueMs(judgement, this.settings(), !isReplaceable(state, worker, now));
  }

  /** Whether a living worker is sound without a doubt. */
  private isAnySound(state: JudgedPool, now: number): boolean {
    const living = state.workers.listAliveSince(now - state.settings.workerQuietMaxMs);
    return living.some(({ worker }) => {
      const judgement = this.byWorker.get(worker);
      return !judgement || (judgement.standing === 'sound' && !judgement.isOnProbation);
    });
  }

  /** If all workers were in trouble, the machines were hardly the cause: relapsed ones need not wait long. */
  private reprieveAll(): void {
    for (const judgement of this.byWorker.values()) judgement.relapses = 0;
  }

  /** A row for each change. */
  private judge(
    worker: string,
    judgement: JudgementState,
    standing: WorkerStanding,
    { reason, publicReason }: Reasons,
    now: number,
  ): Write[] {
    const isSame = judgement.standing === standing;
    if (!isSame) Object.assign(judgement, { sinceMs: now, grantedAtMs: now, grant: null });
    if (isSame && judgement.reason === reason) return [];
    Object.assign(judgement, { standing, reason, publicReason });
    return [{ kind: 'judge-worker', worker, standing, reason }];
  }

  /** Above the limit, the worker that was changed the longest ago is removed, a sound one by preference. */
  private remember(worker: string, judgement: JudgementState): void {
    this.byWorker.delete(worker);
    this.byWorker.set(worker, judgement);
    if (this.byWorker.size <= this.workersMax) return;
    const names = [...this.byWorker.keys()];
    const forgotten = names.find((name) => this.standingOf(name) === 'sound' && name !== worker) ?? names[0];
    if (forgotten !== undefined) this.byWorker.delete(forgotten);
  }
}
