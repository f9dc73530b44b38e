import { Type } from 'class-transformer';
import { IsBoolean, IsIn, IsOptional, ValidateNested } from 'class-validator';
import type { DispatcherAnswer } from './lease';
import type { Testbed } from './lease-request';
import type { MachineState } from './machine';
import { IsRunId } from './run';
import { IsText } from './text';
import type { WorkerStanding } from './words';

/**
 * `proctor.query.{arch}.explain`: why does this run wait? The answer contains nothing about other private runs; the api
 * decides whether the user may see this one.
 */
export class ExplainRequest {
  @IsRunId()
  runId: number;

  /** Name of the user who asks, so that the answer includes their own private runs. */
  @IsOptional()
  @IsText(100)
  user?: string;

  /** An administrator asks: the answer includes all private runs. */
  @IsOptional()
  @IsBoolean()
  everything?: boolean;
}

/** Numbers are null and reasons empty while the run is executed; a run that is not in memory has not been ingested yet. */
export interface ExplainReply extends DispatcherAnswer {
  runId: number;
  /** Place among the runs that wait for the same slots; 1 goes next. */
  position: number | null;
  /** Waiting runs that are expected to start before it. */
  ahead: number | null;
  /** Milliseconds until the expected start; null when there is no estimate. */
  startsInMs: number | null;
  /** The reasons for people, the most important first. */
  reasons: string[];
}

/** Where a page of a status ends: after a suite queue, or after all queues and a worker. */
export class StatusPlace {
  @IsIn(['queue', 'worker'])
  kind: 'queue' | 'worker';

  /** Name of the suite or the worker. */
  @IsText(100)
  name: string;
}

/**
 * `proctor.query.{arch}.status`: one request for each page, since one message has no room for all workers. The answer leaves private
 * runs out.
 */
export class StatusRequest {
  /** `more` of the page before; the first page when absent. */
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
 * A page of the dispatcher's suite queues, by suite, and then of its workers, by name. Each page shows the moment
 * at which it is requested.
 */
export interface StatusReply extends DispatcherAnswer {
  workers: WorkerStatus[];
  queues: QueueStatus[];
  /** Why no run of the architecture is granted, for people; absent while runs are. */
  stopped?: string;
  /** `after` of the next page's request; absent in the last page. */
  more?: StatusPlace;
}

export interface WorkerStatus {
  worker: string;
  slots: number;
  /** Slots that hold the lease of a run that the answer includes. */
  busy: number;
  testbeds: Testbed[];
  /** How many more testbeds it has that have no room here. */
  testbedsLeftOut?: number;
  variants: string[];
  sizeClasses: string[];
  standing: WorkerStanding;
  /** Why it is not sound, for people. */
  reason?: string;
  /** Only when it is not sound: as in `StandingNotice`. */
  untilMs?: number;
  /** Set while it finishes what it has and gets no other run. */
  drained?: Decision;
  problem?: string;
  /** The version from its requests; absent if they have none. */
  version?: string;
  /** See PROTOCOL. Absent in messages of earlier versions. */
  protocol?: number;
  /** Absent if the worker reports none, or the reader may not know what private runs do to it. */
  machine?: MachineState;
}

/** A decision that stopped something: the user and the reason. */
export interface Decision {
  /** User name. */
  by: string;
  reason: string;
  /** UTC, as `timestamp` writes it. */
  since: string;
}

/** The earliest of several decisions that stop the same thing; it is the one to name. */
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
  /** Milliseconds until all that waits now is expected to have ended; null when there is no estimate. */
  emptyInMs: number | null;
  paused: Decision | null;
  /** Why no run of it, or not more of them, is executed now; for people, the most important first, at most 20. */
  reasons: string[];
}
