import { IsInt, Min } from 'class-validator';
import type { DispatcherAnswer, Testbed } from './lease';

/** `proctor.rpc.{arch}.explain`: why does this run wait? */
export class ExplainRequest {
  @IsInt()
  @Min(1)
  runId: number;
}

export interface ExplainReply extends DispatcherAnswer {
  runId: number;
  /** In order of weight, for people; empty when the run is not waiting. */
  reasons: string[];
}

/** `proctor.rpc.{arch}.status`: the dispatcher's view of its workers. */
export interface StatusReply extends DispatcherAnswer {
  workers: WorkerStatus[];
}

export interface WorkerStatus {
  worker: string;
  slots: number;
  /** Slots that hold a lease. */
  busy: number;
  testbeds: Testbed[];
  variants: string[];
  problem?: string;
}
