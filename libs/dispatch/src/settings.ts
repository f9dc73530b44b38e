import type { AptSource } from '@proctor/contracts';
import { growingPauseMs } from '@proctor/pauses';

/** The settings of a deployment for dispatching. */
export interface DispatchSettings {
  leaseTtlMs: number;
  leaseRenewMs: number;
  /** Workers of an older protocol are granted nothing. */
  workerProtocolMin: number;
  /** How long a worker with idle slots waits before one of them asks again without a signal. */
  askAgainMs: number;
  retry: RetrySettings;
  fairShare: FairShareSettings;
  ageing: AgeingSettings;
  caps: CapSettings;
  window: WindowSettings;
  blame: BlameSettings;
  /** The class of a big package: it goes only to slots that declare it. Null for all others; pure. */
  sizeClassOf(packageName: string): string | null;
  /** How long a run is expected to take before any run of the architecture has finished. */
  unknownDurationMs: number;
  /** A worker that was silent for this long is not shown as able to execute a run. */
  workerQuietMaxMs: number;
  /** Workers in memory; the one silent the longest is removed first. */
  workersMax: number;
  /** The extra apt sources by name, with the data that a worker needs. */
  extraAptSources: ReadonlyMap<string, AptSource>;
  /** Why no run of any suite is granted, for people; absent while runs are. */
  stopped?: string;
  /** The versions of a package that are on the reject list for this suite and architecture; pure. */
  rejectedVersions(packageName: string, suite: string, arch: string): string[];
}

/** What happens to a run whose attempt expired, was lost or failed. */
export interface RetrySettings {
  /** How many of these attempts a run may have before it ends as tmpfail. */
  attemptsMax: number;
  /** How long a run waits after the first such attempt; doubles with each further one. */
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

/** Runs that may hold a lease at a time on an architecture; Infinity is no cap. */
export interface CapSettings {
  perRequestorMax: number;
  perPackageMax: number;
  perSuiteMax: number;
}

/** How many runs of each line are in memory; the others stay in the rows. */
export interface WindowSettings {
  /** Runs that are read at a time; memory holds at most twice as many. Infinity holds all. */
  runsMax: number;
  /** The next are read when fewer than this are in memory. */
  refillBelow: number;
  /** The others are counted by blocks of this many. */
  blockRuns: number;
}

export interface BlameSettings {
  /** Failures in a row of a worker, over as many different packages, before it is quarantined or slowed. */
  failuresMax: number;
  /** Occasions on which a package broke its testbed where others had results, before its runs get one attempt only. */
  occasionsMax: number;
  /** The time between two grants of a slowed worker; doubles with each further failure in a row of another package. */
  slowedMs: number;
  slowedMaxMs: number;
  /** How often a failed canary test is repeated. */
  canaryMs: number;
  /** The quarantine of a worker that failed soon after a passed canary test; doubles each time. */
  quarantineMs: number;
  quarantineMaxMs: number;
  /** A canary test without an answer for this long is requested again. */
  canaryTimeoutMs: number;
}

/** How long a run waits after it lost `attemptsLost` attempts; at least one. */
export function retryDelayMs({ delayMs, delayMaxMs }: RetrySettings, attemptsLost: number): number {
  return growingPauseMs(delayMs, delayMaxMs, attemptsLost);
}
