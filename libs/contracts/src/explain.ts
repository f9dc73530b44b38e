import { Type } from 'class-transformer';
import { IsBoolean, IsIn, IsOptional, ValidateNested } from 'class-validator';
import type { DispatcherAnswer, Testbed } from './lease';
import { IsRunId } from './run';
import { IsText } from './text';
import type { WorkerStanding } from './words';

/**
 * `proctor.query.{arch}.explain`: why does this run wait? The answer tells nothing of private runs but this one; whether who asks
 * may see this one is for the asker to know.
 */
export class ExplainRequest {
  @IsRunId()
  runId: number;

  /** Name of the user who asks, to be told of their own private runs too. */
  @IsOptional()
  @IsText(100)
  user?: string;

  /** An administrator asks, and is told of all private runs. */
  @IsOptional()
  @IsBoolean()
  everything?: boolean;
}

/** Numbers are null and reasons empty when the run is executed; a run that is not in memory is yet to be ingested. */
export interface ExplainReply extends DispatcherAnswer {
  runId: number;
  /** Place among the runs that wait for the same slots; 1 goes next. */
  position: number | null;
  /** Waiting runs that are expected to go before it. */
  ahead: number | null;
  /** Expected start from now on, milliseconds; null when that cannot be told. */
  startsInMs: number | null;
  /** In order of weight, for people. */
  reasons: string[];
}

/** Where a page of a status ends: behind a suite queue, or behind a worker and all queues. */
export class StatusPlace {
  @IsIn(['queue', 'worker'])
  kind: 'queue' | 'worker';

  /** The suite's or the worker's. */
  @IsText(100)
  name: string;
}

/**
 * `proctor.query.{arch}.status`: asked page by page, since one message has no room for all workers. The answer leaves private
 * runs out.
 */
export class StatusRequest {
  /** As `more` of the page before says; the first page when absent. */
  @IsOptional()
  @ValidateNested()
  @Type(() => StatusPlace)
  after?: StatusPlace;

  /** An administrator asks: private runs are counted, and are among the reasons. */
  @IsOptional()
  @IsBoolean()
  everything?: boolean;
}

/** Bytes of the queues and workers of one page. */
export const STATUS_PAGE_BYTES_MAX = 512 * 1024;

/**
 * A page of the dispatcher's view of each suite queue, by suite, and then of its workers, by name. Each page is of the moment
 * at which it is asked for.
 */
export interface StatusReply extends DispatcherAnswer {
  workers: WorkerStatus[];
  queues: QueueStatus[];
  /** Why no run of the architecture is granted, for people; absent while runs are. */
  stopped?: string;
  /** The next page is asked for with it; absent in the last one. */
  more?: StatusPlace;
}

export interface WorkerStatus {
  worker: string;
  slots: number;
  /** Slots that hold a lease of a run that is told of. */
  busy: number;
  testbeds: Testbed[];
  /** How many more it has, which have no room here. */
  testbedsLeftOut?: number;
  variants: string[];
  sizeClasses: string[];
  standing: WorkerStanding;
  /** Why it is not sound, for people. */
  reason?: string;
  /** Only when it is not sound: as in `StandingNotice`. */
  untilMs?: number;
  /** Set while it finishes what it has and takes no more. */
  drained?: Decision;
  problem?: string;
  /** As its asks say; absent when they do not. */
  version?: string;
  /** See PROTOCOL. Absent in what an earlier version says. */
  protocol?: number;
}

/** Who stopped something, and why. */
export interface Decision {
  /** User name. */
  by: string;
  reason: string;
  /** UTC, as `timestamp` writes it. */
  since: string;
}

/** Of several decisions that stop the same, the one that began first is the one to name. */
export function earliestOf<T extends Decision>(decisions: readonly T[]): T | undefined {
  const [first, ...others] = decisions;
  return others.reduce(
    (earliest, each) => (earliest && earliest.since <= each.since ? earliest : each),
    first,
  );
}

/** One suite queue. */
export interface QueueStatus {
  suite: string;
  waiting: number;
  running: number;
  /** Expected end of what waits now, milliseconds from now; null when that cannot be told. */
  emptyInMs: number | null;
  paused: Decision | null;
  /** Why nothing, or not more, of it is executed now; for people, the weightiest first, at most 20. */
  reasons: string[];
}
