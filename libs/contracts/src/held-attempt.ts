import { Type } from 'class-transformer';
import { IsOptional, ValidateNested } from 'class-validator';
import { ATTEMPT_MAX, Grant, IsGrantEpoch } from './grant';
import type { DispatcherAnswer } from './lease';
import { SlotIdentity } from './lease-request';
import { MachineState } from './machine';
import { IsRunId } from './run';
import { EXPLANATION_LENGTH_MAX, IsText } from './text';
import { IsWholeFrom } from './whole-number';

/** The slot, and the attempt that it executes. */
export class HeldAttempt extends SlotIdentity {
  @IsRunId()
  runId: number;

  @IsWholeFrom(1, ATTEMPT_MAX)
  attempt: number;

  @IsGrantEpoch()
  grantEpoch?: number;
}

/** `proctor.rpc.{arch}.{worker}.renew`: sent every `renewEveryMs` while an attempt is executed. */
export class RenewRequest extends HeldAttempt {
  @IsOptional()
  @ValidateNested()
  @Type(() => MachineState)
  machine?: MachineState;
}

/** Names the grant of the request. */
export interface RenewReply extends DispatcherAnswer, Grant {
  /** `stop`: the lease is gone; end the attempt, clean up, report nothing. */
  instruction: 'continue' | 'stop';
  /** Why to stop, for the worker's log. */
  reason?: string;
  /** See LeaseReply. */
  notice?: string;
}

/** `proctor.rpc.{arch}.{worker}.return`: a lease handed back unexecuted; the run waits again at once, no attempt is lost. */
export class ReturnRequest extends HeldAttempt {
  @IsText(EXPLANATION_LENGTH_MAX)
  reason: string;
}

/** Names the grant of the request. */
export interface ReturnReply extends DispatcherAnswer, Grant {
  /** False when the slot no longer had the lease: nothing was changed. */
  returned: boolean;
}

/**
 * `proctor.worker.{worker}.stop`: the attempt is no longer needed; the worker ends it at once and reports nothing.
 * If the signal is lost, the next renewal is answered `stop`.
 */
export class StopAttemptSignal extends Grant {
  /** The reason, for the worker's log. */
  @IsText(EXPLANATION_LENGTH_MAX)
  reason: string;
}
