import {
  errorSignature,
  grantOf,
  isSameGrant,
  type FinishedReport,
  type StartedReport,
} from '@proctor/contracts';
import { believedSeconds, sinceGrantMs } from './believing';
import type { DispatcherState } from './dispatcher-state';
import { recordSignOfLife, restoreLease } from './lease-keeping';
import type { AttemptOfWorker } from './journal';
import type { DispatchedRun, RunOutcome } from './journal-records';
import { isHeldBy, type LeasedRun } from './leases';
import { stateAfter } from './lifecycle';
import type { ReportAnswer, Step } from './messages';
import { endWithoutResult } from './retries';
import { withdraw } from './unwritten';

/** The test runner was started. Late, doubled and foreign reports change nothing. */
export function onStarted(state: DispatcherState, report: StartedReport, now: number): Step<'started'> {
  const unregistered = state.registered.whyNotRegistered(report);
  if (unregistered !== undefined)
    return { reply: false, ...restoreLease(state, heldBySender(state, report), unregistered, now) };
  recordSignOfLife(state, report, now);
  const leased = state.leases.find(report.runId);
  if (!leased || !isSameGrant(leased.run, report) || !isHeldBy(leased.lease, report))
    return { writes: [], reply: false };
  state.leases.renew(leased, now);
  state.handBacks.recordStart(report);
  if (leased.lease.state !== 'leased') return { writes: [], reply: false };
  return { writes: [state.start(leased.run)], reply: true };
}

/**
 * While the files of a report that counts are being stored, its run is not granted again for one time-to-live. Its slot
 * is free from now on.
 */
export function onMayFinish(state: DispatcherState, report: FinishedReport, now: number): Step<'may-finish'> {
  const unregistered = state.registered.whyNotRegistered(report);
  if (unregistered !== undefined) return refusal(state, report, unregistered, now);
  const run = state.runs.find(report.runId);
  const reply = judge(run, report);
  if (run && reply === 'counts') {
    const leased = state.leases.find(run.runId);
    if (leased) keepWhileStored(state, leased, now);
    else state.waiting.delay(run, now + state.settings.leaseTtlMs, 'its result is being stored');
  }
  return { writes: [], reply };
}

/**
 * A finished report of the latest attempt ends the run, even if the run waits again. A verdict tmpfail does so only when
 * that was the run's last chance.
 */
export function onFinished(state: DispatcherState, report: FinishedReport, now: number): Step<'finished'> {
  const unregistered = state.registered.whyNotRegistered(report);
  if (unregistered !== undefined) return refusal(state, report, unregistered, now);
  const run = state.runs.find(report.runId);
  const reply = judge(run, report);
  if (!run || reply !== 'counts') return { writes: [], reply };
  state.handBacks.recordStart(report);
  const durationSeconds = believedSeconds(report.durationSeconds, sinceGrantMs(state, run, now));
  const result = outcomeOf({ ...report, durationSeconds });
  if (report.verdict === 'tmpfail') {
    const end = { outcome: 'failed', reason: report.message, result } as const;
    return { writes: endWithoutResult(state, run, end, now, report.trouble), reply };
  }
  const leased = state.leases.find(run.runId);
  const judgements = state.judgements.recordSuccess(state, run, report.worker, leased, now);
  return { writes: [state.endRun(run, 'finished', result, now), ...judgements], reply };
}

/**
 * The run was ended for lack of a result, and now the result of its latest attempt comes. The rows decide: memory has
 * removed the run, or does not know yet that it was ended. Only the rows know when it was granted, so they limit its duration.
 */
export function onLate(state: DispatcherState, report: FinishedReport, now: number): Step<'late'> {
  const unregistered = state.registered.whyNotRegistered(report);
  if (unregistered !== undefined) return refusal(state, report, unregistered, now);
  const { runId, worker, verdict } = report;
  if (state.runs.has(runId)) return { writes: [], reply: 'unknown' };
  stateAfter('finished', 'correct');
  if (verdict !== 'tmpfail') withdraw(state, report);
  const corrected = { ...grantOf(report), worker, outcome: outcomeOf(report) };
  return { writes: [{ kind: 'correct', ...corrected }], reply: 'counts' };
}

/**
 * The worker's report of the attempt cannot be read: the attempt has failed, and the run is tried again as usual. The cause is
 * unknown.
 */
export function onReportRefused(
  state: DispatcherState,
  attempt: AttemptOfWorker,
  reason: string,
  now: number,
): Step<'report-refused'> {
  const unregistered = state.registered.whyNotRegistered(attempt);
  if (unregistered !== undefined) return refusal(state, attempt, unregistered, now);
  const run = state.runs.find(attempt.runId);
  const reply = judge(run, attempt);
  if (!run || reply !== 'counts') return { writes: [], reply };
  const nothing = { exitCode: null, version: null, durationSeconds: null, files: [], tests: [] };
  const result: RunOutcome = { verdict: 'tmpfail', message: reason, ...nothing };
  return { writes: endWithoutResult(state, run, { outcome: 'failed', reason, result }, now), reply };
}

/** Why nothing of the report is written. */
function refusal(
  state: DispatcherState,
  report: AttemptOfWorker,
  why: string,
  now: number,
): Pick<Step, 'writes' | 'refusal' | 'workWaiting'> & { reply: ReportAnswer } {
  return { reply: 'refused', ...restoreLease(state, heldBySender(state, report), why, now) };
}

/** The lease of the attempt, when it has not ended and belongs to the worker. */
function heldBySender(state: DispatcherState, report: AttemptOfWorker): LeasedRun | undefined {
  const leased = state.leases.find(report.runId);
  const isIts = leased?.lease.worker === report.worker && isSameGrant(leased.run, report);
  return isIts ? leased : undefined;
}

function outcomeOf(report: FinishedReport): RunOutcome {
  const {
    verdict,
    message,
    trouble,
    exitCode,
    version,
    durationSeconds,
    tests = [],
    excerpt,
    image,
  } = report;
  const files = report.files.map(({ name, size }) => ({ name, size }));
  const outcome: RunOutcome = { verdict, message, exitCode, version, durationSeconds, files, tests, image };
  if (trouble !== undefined && verdict === 'tmpfail') outcome.trouble = trouble;
  const hasFailed = verdict === 'fail' || verdict === 'tmpfail';
  if (excerpt && hasFailed) outcome.error = { signature: errorSignature(excerpt), excerpt };
  return outcome;
}

function keepWhileStored(state: DispatcherState, leased: LeasedRun, now: number): void {
  state.leases.renew(leased, now);
  state.leases.freeSlot(leased);
}

/**
 * The worker is compared, not its incarnation: the worker's next life also delivers results that are on its disk.
 */
function judge(run: DispatchedRun | undefined, report: AttemptOfWorker): ReportAnswer {
  if (!run) return 'unknown';
  if (report.attempt < run.attempt) return 'stale';
  if (!isSameGrant(run, report) || run.latestWorker !== report.worker) return 'foreign';
  return run.latestFailed ? 'reported' : 'counts';
}
