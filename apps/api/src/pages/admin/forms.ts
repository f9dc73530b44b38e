import { Selection } from '@proctor/administration';
import { IsReason, must, Strict } from '@proctor/contracts';
import { NewWorker } from '@proctor/resources';
import { IsInt, IsOptional, Max, Min } from 'class-validator';
import type { Parameter } from '../../http/parameters';
import { From } from '../../http/shape';
import { runIdsOf } from '../../runs/changes.dto';
import { priorityOf } from '../../runs/priority';

/** The reason for a quarantine. */
@Strict()
export class ReasonForm {
  @IsReason()
  reason: string;
}

const MINUTES_MAX = 30 * 1440;
const MINUTES = must(`be a whole number from 1 to ${MINUTES_MAX}, or empty`);

/** The reason why a worker gets no new runs, and the time for the runs that it already has. */
export class DrainForm extends ReasonForm {
  /** Without it the worker may finish all of them. */
  @From({ read: wholeNumber })
  @IsOptional()
  @IsInt(MINUTES)
  @Min(1, MINUTES)
  @Max(MINUTES_MAX, MINUTES)
  deadline_minutes?: number;
}

export class NewWorkerForm extends NewWorker {
  @From({
    read: ({ value }) =>
      String(value)
        .split(/[\s,]+/)
        .filter(Boolean),
  })
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
