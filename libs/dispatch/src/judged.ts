import type { CanaryTest, WorkerStanding } from '@proctor/contracts';
import { doubled, heldAgainst, type Failure } from './blame';
import type { Slot } from './leases';
import type { BlameSettings } from './settings';

/** What is known against a worker. Monotonic milliseconds of the dispatcher's clock. */
export interface Judged {
  standing: WorkerStanding;
  /** For people. */
  reason: string;
  sinceMs: number;
  /** Attempts that failed here since the latest result or passed canary test, oldest first. */
  failures: Failure[];
  /** A canary test has passed and no result has come since: one more failure is enough. */
  isOnProbation: boolean;
  /** Since when canary tests fail here; null when the latest passed, or none was made. */
  canaryFailedMs: number | null;
  /** How often it failed on probation, since the latest result. */
  relapses: number;
  /** The latest grant; at first when it was judged. */
  grantedAtMs: number;
  canary: { test: CanaryTest; slot: Slot; askedAtMs: number } | null;
  canaryEndedMs: number;
}

export function soundAt(now: number): Judged {
  return {
    standing: 'sound',
    reason: '',
    sinceMs: now,
    failures: [],
    isOnProbation: false,
    canaryFailedMs: null,
    relapses: 0,
    grantedAtMs: now,
    canary: null,
    canaryEndedMs: -Infinity,
  };
}

/** So many failures in a row, though of few packages, that a canary test is due while the worker goes on. */
export function isInDoubt({ failures }: Judged, { failuresMax }: BlameSettings): boolean {
  return failures.filter(({ isHeld }) => isHeld).length >= failuresMax;
}

export function isEnough(judged: Judged, settings: BlameSettings): boolean {
  return heldAgainst(judged.failures).length >= enough(judged, settings);
}

/**
 * Between two grants of a slowed worker: the first wait doubles with each failure in a row of another package. Where a
 * canary test failed a run is tried seldom, in case it is the canary test that is wrong.
 */
export function intervalMs(judged: Judged, settings: BlameSettings): number {
  if (judged.canaryFailedMs !== null) return settings.quarantineMs;
  const more = heldAgainst(judged.failures).length - enough(judged, settings);
  return doubled(settings.slowedMs, more, settings.slowedMaxMs);
}

/**
 * When a worker that is not sound is asked for its canary test: at once; after one that failed, every so often; after
 * relapses, each time twice as long, since each return costs attempts. A worker that is needed waits less.
 */
export function canaryDueMs(judged: Judged, settings: BlameSettings, isNeeded: boolean): number {
  if (judged.canaryFailedMs !== null) return judged.canaryEndedMs + settings.canaryMs;
  if (judged.standing === 'sound' || judged.relapses === 0) return judged.sinceMs;
  const [firstMs, maxMs] = isNeeded
    ? [settings.canaryMs, settings.quarantineMs]
    : [settings.quarantineMs, settings.quarantineMaxMs];
  return judged.sinceMs + doubled(firstMs, judged.relapses - 1, maxMs);
}

function enough({ isOnProbation, relapses }: Judged, { failuresMax }: BlameSettings): number {
  return isOnProbation || relapses > 0 ? 1 : failuresMax;
}
