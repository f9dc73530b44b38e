import { cut, MESSAGE_LENGTH_MAX, type Trouble } from '@proctor/contracts';
import { isLasting } from './blame';
import { crashOf, isOfPackage, withCrash } from './crashes';
import type { DispatcherState } from './dispatcher-state';
import type { AttemptEnd } from './lifecycle';
import type { Write } from './journal';
import type { DispatchedRun, RunOutcome } from './journal-records';
import { retryDelayMs } from './settings';

/**
 * The attempt expired, was lost or failed: the run is tried again after a while, or ends when that was its last chance. That is
 * also so for a run whose trouble lasts, and for a package that has broken its testbed too often where other packages had
 * results: another attempt would take as long and end the same.
 * Its worker or the run itself is blamed. An attempt that has expired and is later reported as failed counts once.
 * @param trouble the probable cause of the failure
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
  run.crashes = withCrash(run.crashes ?? [], crashOf(run, end, trouble));
  // A doubtful machine may break every testbed in the same way.
  const isSound = worker !== null && state.judgements.standingOf(worker) === 'sound';
  if (isSound && end.result && isOfPackage(run.crashes)) return endAsFailed(state, run, end.result, now);
  const occasions = end.outcome === 'failed' && trouble !== 'archive' ? state.suspects.occasionsOf(run) : 0;
  const isItsPackage = occasions >= state.settings.blame.occasionsMax;
  const judgements =
    isCounted || worker === null
      ? []
      : state.judgements.recordFailure(state, run, worker, end.reason, now, evidence);
  if (!isCounted) run.attemptsLost += 1;
  const { retry } = state.settings;
  const isLast = isLasting(trouble) || isItsPackage || run.attemptsLost >= retry.attemptsMax;
  const why = isItsPackage ? whyNotRetried(occasions) : '';
  const write = isLast
    ? state.endRun(run, end.result ? 'finished' : end.outcome, lastOutcome(run, end, why), now)
    : state.requeue(run, end, retryDelayMs(retry, run.attemptsLost), now);
  return [write, ...judgements];
}

/** The package has crashed the runner in every testbed in the same way: it has failed, and no worker is to blame. */
function endAsFailed(state: DispatcherState, run: DispatchedRun, result: RunOutcome, now: number): Write[] {
  const { latestWorker: worker, crashes = [] } = run;
  const suffix = ` (in ${crashes.length} testbeds alike: the package breaks them)`;
  const message = cut(result.message, MESSAGE_LENGTH_MAX - suffix.length) + suffix;
  const leased = state.leases.find(run.runId);
  const judgements = worker === null ? [] : state.judgements.recordSuccess(state, run, worker, leased, now);
  const { trouble: _, ...outcome } = result;
  return [state.endRun(run, 'finished', { ...outcome, verdict: 'fail', message }, now), ...judgements];
}

/** The outcome of a run whose last allowed attempt failed: with the result of that attempt, if it left one. */
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

function whyNotRetried(occasions: number): string {
  return `not tried again: its package failed ${occasions} times on workers where other packages have results`;
}
