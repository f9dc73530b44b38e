import type { AptSource } from '@proctor/contracts';
import { growingPauseMs } from '@proctor/pauses';

/** The settings of a deployment for dispatching. */
export interface DispatchSettings {
  leaseTtlMs: number;
  leaseRenewMs: number;
  /** Workers of an older protocol are granted nothing. */
  workerProtocolMin: number;
  /** How long a worker with idle slots waits before one of them requests a lease again without a signal. */
  askAgainMs: number;
  retry: RetrySettings;
  fairShare: FairShareSettings;
  ageing: AgeingSettings;
  caps: CapSettings;
  window: WindowSettings;
  blame: BlameSettings;
  /** The size class of a package: only slots that declare the class execute its runs. Null for most packages; pure. */
  sizeClassOf(packageName: string): string | null;
  /** How long a run is expected to take before any run of the architecture has finished. */
  unknownDurationMs: number;
  /** A worker that was silent for this long is not shown as able to execute a run. */
  workerQuietMaxMs: number;
  /** The maximum number of workers in memory; the one that was silent longest is removed first. */
  workersMax: number;
  /** The extra apt sources by name, with the data that a worker needs. */
  extraAptSources: ReadonlyMap<string, AptSource>;
  /** Why no run of any suite is granted, for people; absent while runs are granted. */
  stopped?: string;
  /** The versions of a package that are on the reject list for this suite and architecture; pure. */
  rejectedVersions(packageName: string, suite: string, arch: string): string[];
}

/** What happens to a run whose attempt expired, was lost or failed. */
export interface RetrySettings {
  /** How many of these attempts a run may have before it ends as tmpfail. */
  attemptsMax: number;
  /** How long a run waits after the first such attempt; twice as long after each further one. */
  delayMs: number;
  delayMaxMs: number;
}

/** Within a priority, the requestor who has recently used the least slot time goes first. */
export interface FairShareSettings {
  /** Used slot time counts half after this time. */
  halfLifeMs: number;
  /** The weight of a user: with weight 2, slot time counts half. Above 0, 1 by default; pure. */
  weightOf(requestor: string): number;
}

/** A run that waits rises by one level of priority per `stepMs`, at most `stepsMax` times. */
export interface AgeingSettings {
  stepMs: number;
  stepsMax: number;
}

/** How many runs may hold a lease at the same time on an architecture; Infinity is no cap. */
interface CapSettings {
  perRequestorMax: number;
  perPackageMax: number;
  perSuiteMax: number;
}

/** How many waiting runs of each line are in memory; the others are only in the database. */
export interface WindowSettings {
  /** How many runs are read at a time; memory holds at most twice as many. With Infinity it holds all. */
  runsMax: number;
  /** The next runs are read when fewer than this are in memory. */
  refillBelow: number;
  /** The runs that are not in memory are counted in blocks of this many. */
  blockRuns: number;
}

export interface BlameSettings {
  /** A worker is quarantined or slowed after this many failures in a row, each of another package. */
  failuresMax: number;
  /**
   * After this many failed attempts of a package, on workers that later proved sound, a run whose attempt fails is not
   * tried again.
   */
  occasionsMax: number;
  /** A slowed worker waits this long between two grants; twice as long after each further failure of another package. */
  slowedMs: number;
  slowedMaxMs: number;
  /** The time between a failed canary test and the next one. */
  canaryMs: number;
  /** How long a worker is quarantined that failed soon after a passed canary test; twice as long each time. */
  quarantineMs: number;
  quarantineMaxMs: number;
  /** A canary test without an answer for this long is requested again. */
  canaryTimeoutMs: number;
}

/** How long a run waits after it lost `attemptsLost` attempts; at least one. */
export function retryDelayMs({ delayMs, delayMaxMs }: RetrySettings, attemptsLost: number): number {
  return growingPauseMs(delayMs, delayMaxMs, attemptsLost);
}
