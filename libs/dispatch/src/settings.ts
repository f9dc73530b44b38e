import type { AptSource } from '@proctor/contracts';

/** What a deployment decides about dispatching. */
export interface DispatchSettings {
  leaseTtlMs: number;
  leaseRenewMs: number;
  /** How long an idle slot waits before it asks again without a signal. */
  askAgainMs: number;
  /** Attempts that end without a result before the run ends as tmpfail. */
  attemptsMax: number;
  /** How long a run waits after its first attempt that ended without a result; doubles with each further one. */
  retryDelayMs: number;
  retryDelayMaxMs: number;
  /** A worker not heard of for this long is not shown as one that could execute a run. */
  workerQuietMaxMs: number;
  /** Workers that are remembered; the one silent the longest is forgotten first. */
  workersMax: number;
  /** name of an extra apt source → what a worker needs of it. */
  extraAptSources: ReadonlyMap<string, AptSource>;
  /** The versions of a package that are on the reject list for this suite and architecture; pure. */
  rejectedVersions(packageName: string, suite: string, arch: string): string[];
}

/** How long a run waits after it lost `attemptsLost` attempts; at least one. */
export function retryDelayMs(settings: DispatchSettings, attemptsLost: number): number {
  return Math.min(settings.retryDelayMs * 2 ** (attemptsLost - 1), settings.retryDelayMaxMs);
}
