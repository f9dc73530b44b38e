import { PROTOCOL, PROTOCOL_OLDEST, REQUEST_LIMITS, type RequestLimits } from '@proctor/contracts';
import { IsIn, IsInt, IsOptional, IsUrl, Max, Min } from 'class-validator';
import { SERVICE_URL } from './address-rules';
import { AtStart } from './at-start';
import { MetricsSection } from './metrics-section';
import { Count, Milliseconds, Section, SizeClasses, Weights } from './rules';

export class RetrySection {
  /** Attempts that expired, were lost or failed before the run ends as tmpfail. */
  @Count() attemptsMax = 3;
  /** How long a run waits after the first of them; doubles with each further one. */
  @Milliseconds() delayMs = 30_000;
  @Milliseconds() delayMaxMs = 600_000;
}

export class FairShareSection {
  /** Used slot time counts half after this time. */
  @Milliseconds() halfLifeMs = 3_600_000;
  /** User name → share of slot time compared with others; 1 when absent. */
  @Weights() weights: Record<string, number> = {};
}

/** A waiting run rises by one level of priority per `stepMs`, at most `stepsMax` times. */
export class AgeingSection {
  @Milliseconds() stepMs = 21_600_000;
  @IsInt() @Min(0) @Max(9) stepsMax = 2;
}

/**
 * How much of a long queue a dispatcher has in memory: of the runs that were never granted, the first of each suite, backend,
 * variant, priority and user, public and private runs separately.
 */
export class WindowSection {
  /** Runs that are read at a time; memory holds twice as many, unless a decision needs more. */
  @Count() runsMax = 150;
  /** The next are read when fewer than this are in memory; at most `runsMax`. */
  @Count() refillBelow = 50;
  /** The runs that are not in memory are counted in blocks of this many. */
  @Count() blockRuns = 200;
}

/** How many runs may be executed at the same time on an architecture; no cap when absent. */
export class CapsSection {
  @IsOptional() @Count() perRequestorMax?: number;
  @IsOptional() @Count() perPackageMax?: number;
  @IsOptional() @Count() perSuiteMax?: number;
}

export class BlameSection {
  /** A worker is quarantined or slowed after this many failures in a row, each of another package. */
  @Count() failuresMax = 3;
  /**
   * After this many failed attempts of a package, on workers that later proved sound, a run whose attempt fails is not
   * tried again.
   */
  @Count() occasionsMax = 3;
  /** A slowed worker waits this long between two runs; twice as long after each further failure of another package. */
  @Milliseconds() slowedMs = 5_000;
  @Milliseconds() slowedMaxMs = 60_000;
  /** The time between a failed canary test and the next one. */
  @Milliseconds() canaryMs = 60_000;
  /** How long a worker is quarantined that failed soon after a passed canary test; twice as long each time. */
  @Milliseconds() quarantineMs = 600_000;
  @Milliseconds() quarantineMaxMs = 3_600_000;
  @Milliseconds() canaryTimeoutMs = 600_000;
}

/** Limits of the requests of one worker, for each kind and each architecture. */
export class RequestsSection implements RequestLimits {
  /** Requests in a second; twice as many at once. The others are answered late. */
  @AtStart() @Count() perSecondMax = REQUEST_LIMITS.perSecondMax;
  /** Their bytes in a second; twice as many at once. */
  @AtStart() @Count() bytesPerSecondMax = REQUEST_LIMITS.bytesPerSecondMax;
  /** How many further requests wait; others are refused. */
  @AtStart() @Count() lateMax = REQUEST_LIMITS.lateMax;
  /** How long the requests of a worker are ignored after some were refused; doubles each time. */
  @AtStart() @Milliseconds() shunMinMs = REQUEST_LIMITS.shunMinMs;
  @AtStart() @Milliseconds() shunMaxMs = REQUEST_LIMITS.shunMaxMs;
}

export class SchedulerSection {
  @AtStart() @Milliseconds() leaseTtlMs = 60_000;
  @AtStart() @Milliseconds() leaseRenewMs = 15_000;
  @AtStart() @Milliseconds() ownershipTtlMs = 5_000;
  /** How many servers of a NATS cluster have a copy of each stream. */
  @AtStart() @IsIn([1, 3, 5]) streamReplicas = 1;
  /** How long the database may need for one turn of a dispatcher. After that the turn has failed, and the next ingests fewer rows. */
  @Milliseconds() turnTimeoutMs = 2_000;
  /** How often a dispatcher checks for runs whose signal was lost. */
  @Milliseconds() arrivalPollMs = 5_000;
  /** How long a worker with idle slots waits before one of them asks again without a signal. */
  @Milliseconds() askAgainMs = 5_000;
  /** Workers of an older protocol are granted nothing. */
  @IsInt() @Min(1) @Max(PROTOCOL) workerProtocolMin = PROTOCOL_OLDEST;
  @Section(() => RetrySection) retry = new RetrySection();
  @Section(() => FairShareSection) fairShare = new FairShareSection();
  @Section(() => AgeingSection) ageing = new AgeingSection();
  @Section(() => CapsSection) caps = new CapsSection();
  @Section(() => WindowSection) window = new WindowSection();
  /**
   * Name of a class → packages; `*` at the end stands for anything. These packages are tested only in slots that
   * declare the class.
   */
  @SizeClasses() sizeClasses: Record<string, string[]> = {};
  @Section(() => BlameSection) blame = new BlameSection();
  @AtStart() @Section(() => RequestsSection) requests = new RequestsSection();
  @Count() mailboxLengthMax = 10_000;
  @Count() turnMessagesMax = 500;
  @AtStart() @Section(() => MetricsSection) metrics = new MetricsSection();
  /** The address to which spans of finished runs are sent by OTLP over HTTP; by default they are not sent. */
  @AtStart()
  @IsOptional()
  @IsUrl(SERVICE_URL)
  tracesUrl?: string;
  /** How often the staging areas are swept. */
  @Milliseconds() stagingSweepMs = 600_000;
  /** An upload that did not grow for this long, and whose report is not awaited, is removed. */
  @Milliseconds() stagingIdleMaxMs = 3_600_000;
}
