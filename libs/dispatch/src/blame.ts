import { cut, type CanaryTest, type LeaseRequest, type Trouble } from '@proctor/contracts';
import type { DispatchedRun } from './journal';

/** An attempt that expired, was lost or failed, as it is held against its worker. */
export type Failure = Pick<
  DispatchedRun,
  'runId' | 'package' | 'suite' | 'backend' | 'variant' | 'isPrivate'
> & {
  /** Why, for people. */
  message: string;
  /** The life of the worker process that ended with the attempt, or fell silent; absent when it reported a failure. */
  death?: string;
};

/** Who is the likely cause of an attempt that failed. */
export type Blamed = 'worker' | 'run' | 'archive';

const MESSAGE_LENGTH_MAX = 120;
/** Failures that are told one by one; the others are counted. */
const FAILURES_TOLD_MAX = 5;

/** Whether another attempt would end in the same way, wherever it is executed. */
export function isLasting(trouble?: Trouble): boolean {
  return trouble === 'limit' || trouble === 'request';
}

/**
 * A run that has failed on another worker before is likely to fail anywhere, as is one whose trouble lasts.
 * @param failedOn the workers of the run's earlier attempts that failed
 */
export function whomToBlame(failedOn: readonly string[], worker: string, trouble?: Trouble): Blamed {
  if (trouble === 'archive') return 'archive';
  if (isLasting(trouble)) return 'run';
  return failedOn.some((other) => other !== worker) ? 'run' : 'worker';
}

/**
 * A worker's failures in a row with one more: the latest of each package, the latest of all last. However many attempts
 * a process takes with it, it dies once.
 */
export function failuresWith(failures: readonly Failure[], failure: Failure): Failure[] {
  const isSame = (earlier: Failure): boolean =>
    earlier.package === failure.package || (failure.death !== undefined && earlier.death === failure.death);
  return [...failures.filter((earlier) => !isSame(earlier)), failure];
}

/** Why a worker is not sound, for everybody to read: no name of a package, and of private runs nothing but the id. */
export function whyBlamed(failures: readonly Failure[], isOnProbation: boolean): string {
  const told = failures.slice(-FAILURES_TOLD_MAX).map(({ runId, isPrivate, message }) => {
    return isPrivate ? `run ${runId}` : `run ${runId} (${shortened(message)})`;
  });
  const others = failures.length - told.length;
  const listed = [...told, ...(others > 0 ? [`${others} more before`] : [])].join(', ');
  if (isOnProbation) return `an attempt failed here soon after a canary test passed: ${listed}`;
  return failures.length === 1
    ? `an attempt failed here: ${listed}`
    : `${failures.length} failures here in a row: ${listed}`;
}

/** How long a worker waits for its canary test after `strikes` canary tests, or times on probation, that failed. */
export function quarantineLengthMs(
  { quarantineMs, quarantineMaxMs }: { quarantineMs: number; quarantineMaxMs: number },
  strikes: number,
): number {
  return Math.min(quarantineMs * 2 ** strikes, quarantineMaxMs);
}

/** Where a canary test is best executed: as the latest failure was, if the slot still offers that, else anywhere. */
export function canaryTestbed(
  request: Pick<LeaseRequest, 'testbeds' | 'variants'>,
  failures: readonly Failure[],
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

function shortened(message: string): string {
  return message.length <= MESSAGE_LENGTH_MAX ? message : `${cut(message, MESSAGE_LENGTH_MAX - 1)}…`;
}
