import type { CanaryTest, SlotIdentity, WorkerStanding } from '@proctor/contracts';
import { growingPauseMs } from '@proctor/pauses';
import { heldAgainst, type FailedAttempt, type RecentFailure } from './blame';
import type { AttemptOfRun } from './journal';
import type { BlameSettings } from './settings';
import { inPublic, type Reasons } from './standing-details';

interface CanaryOut {
  test: CanaryTest;
  slot: SlotIdentity;
  askedAtMs: number;
}

/** The facts against a worker. Times are monotonic milliseconds of the dispatcher's clock. */
export interface JudgementState extends Reasons {
  standing: WorkerStanding;
  sinceMs: number;
  /** Attempts that failed here since the latest result or passed canary test, oldest first. */
  failures: RecentFailure[];
  /** Whether a canary test has passed without a later result, so that one more failure is enough. */
  isOnProbation: boolean;
  /** Since when canary tests fail here; null if the latest passed, or there was none. */
  canaryFailedMs: number | null;
  /** How often it failed on probation since the latest result. */
  relapses: number;
  /** The time of the latest grant; at first the time of the judgement. */
  grantedAtMs: number;
  /** The attempt of the latest grant, and when the grant before it was; null without a grant since the judgement. */
  grant: (AttemptOfRun & { beforeMs: number }) | null;
  canary: CanaryOut | null;
  /** The latest canary test that has ended, and when it ended. */
  canaryEnded: CanaryOut | null;
  canaryEndedMs: number;
}

/** The rows that are read again after a turn that was not committed. */
export interface RowsRead {
  /** When that turn was handled, in monotonic milliseconds. */
  lostSinceMs: number;
  /** Whether a row shows that the attempt has not failed. */
  isUnfounded(failure: FailedAttempt): boolean;
  /** Whether the attempt was granted, as far as it is known: rows of finished runs are not read. */
  isGranted(attempt: AttemptOfRun): boolean;
}

export function soundAt(now: number): JudgementState {
  return {
    standing: 'sound',
    ...inPublic(''),
    sinceMs: now,
    failures: [],
    isOnProbation: false,
    canaryFailedMs: null,
    relapses: 0,
    grantedAtMs: now,
    grant: null,
    canary: null,
    canaryEnded: null,
    canaryEndedMs: -Infinity,
  };
}

/** After this many failures in a row, even of few packages, a canary test is due while the worker continues. */
export function isInDoubt({ failures }: JudgementState, { failuresMax }: BlameSettings): boolean {
  return failures.filter(({ isHeld }) => isHeld).length >= failuresMax;
}

export function isEnough(judgement: JudgementState, settings: BlameSettings): boolean {
  return heldAgainst(judgement.failures).length >= enough(judgement, settings);
}

/**
 * Milliseconds between two grants of a slowed worker; twice as long after each further failure of another package.
 * After a failed canary test a run is tried rarely, because the canary test may be wrong.
 */
export function intervalMs(judgement: JudgementState, settings: BlameSettings): number {
  if (judgement.canaryFailedMs !== null) return settings.quarantineMs;
  const more = heldAgainst(judgement.failures).length - enough(judgement, settings);
  return growingPauseMs(settings.slowedMs, settings.slowedMaxMs, more + 1);
}

/**
 * When a worker that is not sound gets its canary test: at once; after a failed one, at intervals; after relapses,
 * twice as late each time, because each return costs attempts. A worker that is needed waits less.
 */
export function canaryDueMs(judgement: JudgementState, settings: BlameSettings, isNeeded: boolean): number {
  if (judgement.canaryFailedMs !== null) return judgement.canaryEndedMs + settings.canaryMs;
  if (judgement.standing === 'sound' || judgement.relapses === 0) return judgement.sinceMs;
  const [firstMs, maxMs] = isNeeded
    ? [settings.canaryMs, settings.quarantineMs]
    : [settings.quarantineMs, settings.quarantineMaxMs];
  return judgement.sinceMs + growingPauseMs(firstMs, maxMs, judgement.relapses);
}

export function grantTo(judgement: JudgementState, { runId, attempt }: AttemptOfRun, now: number): void {
  judgement.grant = { runId, attempt, beforeMs: judgement.grantedAtMs };
  judgement.grantedAtMs = now;
}

/** The latest grant was not written, so it does not delay the worker's next one. */
export function undoGrant(judgement: JudgementState): void {
  if (judgement.grant) Object.assign(judgement, { grantedAtMs: judgement.grant.beforeMs, grant: null });
}

/**
 * The state after a reload: the standing comes from the row, and the messages that are handled again repeat the
 * findings of the lost turn. A canary test that ended in that turn is awaited again, unless its outcome is in the
 * row.
 * @param row undefined if the worker is sound
 */
export function restoreJudgementState(
  before: JudgementState,
  row: JudgementState | undefined,
  rows: RowsRead,
): JudgementState {
  const { standing, reason, publicReason, sinceMs } = row ?? { ...before, standing: 'sound' as const };
  const isSame = standing === before.standing;
  const isSameReason = reason === before.reason;
  const isLost = !(isSame && isSameReason) && before.canaryEndedMs >= rows.lostSinceMs;
  const judgement: JudgementState = {
    ...before,
    standing,
    reason,
    publicReason: isSameReason ? before.publicReason : publicReason,
    sinceMs: isSame ? before.sinceMs : sinceMs,
    failures: before.failures.filter((failure) => !rows.isUnfounded(failure)),
    canary: before.canary ?? (isLost ? before.canaryEnded : null),
  };
  if (judgement.grant && !rows.isGranted(judgement.grant)) undoGrant(judgement);
  return judgement;
}

function enough({ isOnProbation, relapses }: JudgementState, { failuresMax }: BlameSettings): number {
  return isOnProbation || relapses > 0 ? 1 : failuresMax;
}
