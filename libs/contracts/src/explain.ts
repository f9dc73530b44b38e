import type { DispatcherAnswer, Testbed } from './lease';
import { IsRunId } from './run';
import type { WorkerStanding } from './words';

/** `proctor.rpc.{arch}.explain`: why does this run wait? */
export class ExplainRequest {
  @IsRunId()
  runId: number;
}

/** Numbers are null and reasons empty when the run is executed; a run that is not in memory is yet to be taken in. */
export interface ExplainReply extends DispatcherAnswer {
  runId: number;
  /** Place among the runs that wait for the same slots; 1 goes next. */
  position: number | null;
  /** Waiting runs that are expected to go before it. */
  ahead: number | null;
  /** Expected start from now on, milliseconds; null when nobody can tell. */
  startsInMs: number | null;
  /** In order of weight, for people. */
  reasons: string[];
}

/** `proctor.rpc.{arch}.status`: the dispatcher's view of its workers and of each suite queue. */
export interface StatusReply extends DispatcherAnswer {
  workers: WorkerStatus[];
  queues: QueueStatus[];
}

export interface WorkerStatus {
  worker: string;
  slots: number;
  /** Slots that hold a lease. */
  busy: number;
  testbeds: Testbed[];
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
}

/** Who stopped something, and why. */
export interface Decision {
  /** User name. */
  by: string;
  reason: string;
  /** UTC, as `timestamp` writes it. */
  since: string;
}

/** One suite queue; private runs count and are not named. */
export interface QueueStatus {
  suite: string;
  waiting: number;
  running: number;
  /** Expected end of what waits now, milliseconds from now; null when nobody can tell. */
  emptyInMs: number | null;
  paused: Decision | null;
  /** Why nothing, or not more, of it is executed now; for people, the weightiest first. */
  reasons: string[];
}
