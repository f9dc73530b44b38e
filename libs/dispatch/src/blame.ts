import { oneLine, type CanaryTest, type LeaseRequest, type Trouble } from '@proctor/contracts';
import type { DispatchedRun } from './journal-records';

/** An attempt that expired, was lost or failed, and so counts against its worker or its package. */
export type RecentFailure = Pick<
  DispatchedRun,
  'runId' | 'attempt' | 'package' | 'requestor' | 'suite' | 'backend' | 'variant' | 'isPrivate'
> & {
  /** When the dispatcher found its end, in monotonic milliseconds of its clock. */
  failedAtMs: number;
  /** The reason for people. */
  message: string;
  /**
   * The life of the worker process that ended with the attempt or fell silent; absent if the process reported the
   * failure.
   */
  death?: string;
  /** Whether it counts against the worker. */
  isHeld: boolean;
  /**
   * Whether a run of its package has had a result since, on any worker: then it does not count against the package.
   */
  hasResultSince: boolean;
};

/** Identifies a failure; `failedAtMs` shows whether it was found in a turn that was lost. */
export type FailedAttempt = Pick<RecentFailure, 'runId' | 'attempt' | 'failedAtMs'>;

/** What is known about the cause of a failed attempt. */
export interface Evidence {
  trouble?: Trouble | undefined;
  /** The life of the worker process whose death ended the attempt. */
  death?: string | undefined;
}

/** The likely cause of an attempt that failed. */
type BlamedParty = 'worker' | 'run' | 'archive';

const EXCERPT_LENGTH_MAX = 120;
/** How many failures are listed one by one; the others are counted. */
const FAILURES_LISTED_MAX = 5;
/** How many failures of one worker are in memory; the oldest are dropped. */
const FAILURES_MAX = 100;

/** Whether another attempt on any worker would end in the same way. */
export function isLasting(trouble?: Trouble): boolean {
  return trouble === 'limit' || trouble === 'request';
}

/**
 * The likely cause of a failed attempt. A run probably fails anywhere if it has failed on another worker before, if
 * its trouble lasts, or if its package fails where other packages have results.
 * @param failedOn the workers of the run's earlier failed attempts
 */
export function likelyCause(
  failedOn: readonly string[],
  worker: string,
  isSuspect: boolean,
  trouble?: Trouble,
): BlamedParty {
  if (trouble === 'archive') return 'archive';
  if (isLasting(trouble) || isSuspect) return 'run';
  return failedOn.some((other) => other !== worker) ? 'run' : 'worker';
}

export function failureOf(
  run: DispatchedRun,
  { message, death, isHeld }: Pick<RecentFailure, 'message' | 'isHeld'> & Pick<Evidence, 'death'>,
  failedAtMs: number,
): RecentFailure {
  return {
    runId: run.runId,
    attempt: run.attempt,
    package: run.package,
    requestor: run.requestor,
    suite: run.suite,
    backend: run.backend,
    variant: run.variant,
    isPrivate: run.isPrivate,
    failedAtMs,
    message,
    isHeld,
    hasResultSince: false,
    ...(death !== undefined && { death }),
  };
}

export function withFailure(failures: readonly RecentFailure[], failure: RecentFailure): RecentFailure[] {
  return [...failures, failure].slice(-FAILURES_MAX);
}

/**
 * The failures in a row that count against a worker: the latest of each package, in order of time. If the death of one
 * process ended several attempts, that counts once.
 */
export function heldAgainst(failures: readonly RecentFailure[]): RecentFailure[] {
  let failuresAgainst: RecentFailure[] = [];
  for (const failure of failures.filter(({ isHeld }) => isHeld)) {
    const isSame = (earlier: RecentFailure): boolean =>
      earlier.package === failure.package || (failure.death !== undefined && earlier.death === failure.death);
    failuresAgainst = [...failuresAgainst.filter((earlier) => !isSame(earlier)), failure];
  }
  return failuresAgainst;
}

/** Why a worker is not sound, for administrators: without names of packages, and with only the ids of private runs. */
export function whyBlamed(failures: readonly RecentFailure[], isOnProbation: boolean): string {
  const latest = failures.slice(-FAILURES_LISTED_MAX).map(failureText);
  const others = failures.length - latest.length;
  const listed = [...latest, ...(others > 0 ? [`${others} more before`] : [])].join(', ');
  if (isOnProbation) return `an attempt failed here soon after a canary test passed: ${listed}`;
  return failures.length === 1
    ? `an attempt failed here: ${listed}`
    : `${failures.length} failures here in a row: ${listed}`;
}

/**
 * The reason for all users: without counts and with at most one public run, so that it reveals nothing about the
 * others.
 */
export function whyBlamedInPublic(failures: readonly RecentFailure[], isOnProbation: boolean): string {
  const latest = failures.findLast(({ isPrivate }) => !isPrivate);
  const publicFailure = latest ? `, the latest of a public run: ${failureText(latest)}` : '';
  if (isOnProbation) return `attempts failed here soon after a canary test passed${publicFailure}`;
  return `attempts failed here in a row${publicFailure}`;
}

/** The testbed for a canary test: that of the latest failure, if the slot still offers it, otherwise any. */
export function canaryTestbed(
  request: Pick<LeaseRequest, 'testbeds' | 'variants'>,
  failures: readonly RecentFailure[],
): Pick<CanaryTest, 'suite' | 'backend' | 'variant'> | undefined {
  const offered = request.testbeds
    .filter((testbed) => testbed.state === 'ready')
    .flatMap(({ suite, backend }) => request.variants.map((variant) => ({ suite, backend, variant })));
  for (const failure of failures.toReversed()) {
    const same = offered.find(
      ({ suite, backend, variant }) =>
        suite === failure.suite && backend === failure.backend && variant === failure.variant,
    );
    if (same) return same;
  }
  return offered[0];
}

function failureText(failure: RecentFailure): string {
  const message = failure.isPrivate ? '' : withoutDetail(failure);
  return message === '' ? `run ${failure.runId}` : `run ${failure.runId} (${message})`;
}

/** The text without the part after a colon, which is from the test runner and may quote the package. */
function withoutDetail({ message, package: name }: RecentFailure): string {
  const [sentence = ''] = message.split(':');
  return sentence.includes(name) ? '' : oneLine(sentence, EXCERPT_LENGTH_MAX);
}
