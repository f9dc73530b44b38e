import { errorSignature, type Trouble } from '@proctor/contracts';
import type { AttemptEnd } from './lifecycle';
import type { Crash, DispatchedRun } from './journal-records';

/** Equal crashes on so many workers, or, one after the other, in so many testbeds of one, are the package's. */
const WORKERS_ENOUGH = 2;
const TESTBEDS_ENOUGH = 3;

/**
 * What an attempt left, when it broke with a package in its testbed for no known reason of the machine, the archive or the request;
 * null otherwise.
 */
export function crashOf(
  { latestWorker: worker }: Pick<DispatchedRun, 'latestWorker'>,
  { outcome, reason, result }: AttemptEnd,
  trouble?: Trouble,
): Crash | null {
  if (outcome !== 'failed' || worker === null || !result || result.version === null) return null;
  // autopkgtest: the testbed failed, or the runner itself for a reason that is not known.
  const isCrash =
    (result.exitCode === 16 && trouble === 'testbed') || (result.exitCode === 20 && trouble === undefined);
  if (!isCrash) return null;
  return { signature: errorSignature({ lines: [reason] }), worker };
}

/** The crashes in a row that are equal to the latest: any other end begins anew. */
export function withCrash(before: readonly Crash[], latest: Crash | null): Crash[] {
  if (latest === null) return [];
  return before.at(-1)?.signature === latest.signature ? [...before, latest] : [latest];
}

/** Each attempt has a testbed of its own: what breaks all of them in one way is what they have in common. */
export function isOfPackage(crashes: readonly Crash[]): boolean {
  const workers = new Set(crashes.map(({ worker }) => worker));
  return workers.size >= WORKERS_ENOUGH || crashes.length >= TESTBEDS_ENOUGH;
}
