import type { WorkerAttempt, WorkerComparisonResource, WorkerDetails } from '@proctor/resources';
import { timestamp } from '@proctor/contracts';
import type { NeutralStatus } from '@proctor/contracts';
import type { EndedAttempt, WorkerComparison, WorkerRecord } from '@proctor/database';
import { statusOf } from '../runs/result-object';
import { shortRunPath } from '../runs/page-paths';

/** An attempt of a worker in the form of the API. */
export function attemptObject(attempt: EndedAttempt, neutral: NeutralStatus): WorkerAttempt {
  return {
    run_id: attempt.runId,
    attempt: attempt.attempt,
    package: attempt.package,
    suite: attempt.suite,
    arch: attempt.arch,
    outcome: attempt.outcome,
    /** Null if no report arrived. */
    status: statusOf(attempt.verdict, neutral),
    verdict: attempt.verdict,
    reason: attempt.reason,
    started_at: attempt.startedAt && timestamp(attempt.startedAt),
    ended_at: timestamp(attempt.endedAt),
    page_url: shortRunPath(attempt.runId),
  };
}

export function registeredObject(record: WorkerRecord, everything: boolean): WorkerDetails['registered'] {
  return {
    architectures: record.architectures,
    since: timestamp(record.createdAt),
    last_seen_at: record.lastSeenAt && timestamp(record.lastSeenAt),
    revoked_at: record.revokedAt && timestamp(record.revokedAt),
    last_refusal: everything ? record.lastRefusal : null,
  };
}

/** The results of a worker compared with those of others; expected numbers have one decimal. */
export function comparisonObject(comparison: WorkerComparison): WorkerComparisonResource {
  const rounded = (count: number): number => Math.round(count * 10) / 10;
  return {
    attempts: comparison.attempts,
    failed: comparison.failed,
    expected_failed: rounded(comparison.expectedFailed),
    without_result: comparison.withoutResult,
    expected_without_result: rounded(comparison.expectedWithoutResult),
  };
}
