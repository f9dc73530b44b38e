import { errorSignature, FAILED_UNDER_TEST, type Trouble } from '@proctor/contracts';
import type { AttemptEnd } from './lifecycle';
import type { Crash, DispatchedRun } from './journal-records';

/** The package is the cause of equal crashes on this many workers, or in this many testbeds of one worker in a row. */
const WORKERS_ENOUGH = 2;
const TESTBEDS_ENOUGH = 3;

/** The exit code of autopkgtest if it crashes itself or its testbed fails. */
const RUNNER_CRASHED = 20;
const TESTBED_FAILED = 16;

/**
 * The crash of an attempt: the runner crashed with a package in its testbed, or the testbed failed under a test, for no known reason
 * of the machine, the archive or the request. Null for any other end.
 */
export function crashOf(
  { latestWorker: worker, attempt }: Pick<DispatchedRun, 'latestWorker' | 'attempt'>,
  { outcome, reason, result }: AttemptEnd,
  trouble?: Trouble,
): Crash | null {
  if (outcome !== 'failed' || worker === null || !result || result.version === null) return null;
  const { exitCode, message } = result;
  const isUnderTest = exitCode === TESTBED_FAILED && message.startsWith(FAILED_UNDER_TEST);
  if (trouble !== undefined || (exitCode !== RUNNER_CRASHED && !isUnderTest)) return null;
  return { signature: errorSignature({ lines: [reason] }), worker, attempt };
}

/** The crashes in a row that are equal to the latest; any other end starts the count again. */
export function withCrash(before: readonly Crash[], latest: Crash | null): Crash[] {
  if (latest === null) return [];
  // The same attempt is reported again when the turn that counted it was lost.
  const others = before.filter(({ attempt }) => attempt !== latest.attempt);
  return others.at(-1)?.signature === latest.signature ? [...others, latest] : [latest];
}

/** The signature of an attempt's crash; undefined when the attempt is not among these. */
export function signatureOf(crashes: readonly Crash[] = [], attempt: number): string | undefined {
  return crashes.find((crash) => crash.attempt === attempt)?.signature;
}

/** An attempt that has ended and was not handed back. */
export interface CountedAttempt {
  attempt: number;
  worker: string;
  /** The signature that was written with its end; null when it did not crash. */
  crash: string | null;
}

/**
 * The crashes that `withCrash` has counted, computed from the rows.
 * @param attempts the attempts of a run that expired, were lost or failed, in order
 */
export function crashesOf(attempts: readonly CountedAttempt[]): Crash[] {
  return attempts.reduce<Crash[]>(
    (before, { attempt, worker, crash }) =>
      withCrash(before, crash === null ? null : { signature: crash, worker, attempt }),
    [],
  );
}

/** Each attempt has a testbed of its own, so the package is the one thing that equal crashes have in common. */
export function isOfPackage(crashes: readonly Crash[]): boolean {
  const workers = new Set(crashes.map(({ worker }) => worker));
  return workers.size >= WORKERS_ENOUGH || crashes.length >= TESTBEDS_ENOUGH;
}
