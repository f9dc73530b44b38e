import { Selection } from '@proctor/administration';
import { IsReason, must, Strict } from '@proctor/contracts';
import { NewWorker } from '@proctor/resources';
import { IsInt, IsOptional, Max, Min } from 'class-validator';
import type { Parameter } from '../../http/parameters';
import { wordsOf } from '../../http/parameter-values';
import { From } from '../../http/shape';
import { runIdsOf } from '../../runs/changes.dto';
import { priorityOf } from '../../runs/priority';

const MINUTES_MAX = 30 * 1440;
const MINUTES = must(`be a whole number from 1 to ${MINUTES_MAX}, or empty`);

/** The reason why a worker gets no new runs, and the time for the runs that it already has. */
@Strict()
export class DrainForm {
  @IsReason()
  reason: string;

  /** A quarantine ignores it. Without it the worker may finish all of them. */
  @From({ read: wholeNumber })
  @IsOptional()
  @IsInt(MINUTES)
  @Min(1, MINUTES)
  @Max(MINUTES_MAX, MINUTES)
  deadline_minutes?: number;
}

export class NewWorkerForm extends NewWorker {
  /** Ticked boxes, or words. */
  @From({ read: ({ value }): unknown => (Array.isArray(value) ? value : wordsOf(String(value))) })
  declare architectures: string[];
}

/** The selected runs, to cancel them or to change their priority. */
export class RunsForm extends Selection {
  @From({ read: runIdsOf })
  declare run_ids?: number[];

  @From({ read: priorityOf })
  priority?: number;
}

/** Returns the text unchanged when it is not a whole number, so that the validation refuses it. */
function wholeNumber({ value }: Parameter): unknown {
  return /^\d{1,9}$/.test(String(value)) ? Number(value) : value;
}
