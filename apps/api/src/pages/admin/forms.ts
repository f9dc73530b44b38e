import { CredentialsRequest, NewWorker, RevokeRequest } from '@proctor/resources';
import { Selection } from '@proctor/administration';
import { IsReason, must, Strict } from '@proctor/contracts';
import { IsInt, IsOptional, Max, Min } from 'class-validator';
import { absentWhenEmpty } from '../../admin/form-fields';
import { From } from '../../http/shape';
import type { Parameter } from '../../http/parameters';
import type { ApiConfiguration } from '../../configuration.token';
import { runIdsOf } from '../../runs/changes.dto';
import { priorityOf } from '../../runs/priority';

/** Fields of forms that are empty count as left out; `confirmed` says that the question was answered. */
@Strict()
export class Confirmation {
  @IsOptional()
  confirmed?: unknown;
}

/** Why something is held back. */
@Strict()
export class ReasonForm {
  @IsReason()
  reason: string;
}

const MINUTES_MAX = 30 * 1440;
const MINUTES = must(`be a whole number from 1 to ${MINUTES_MAX}, or empty`);

/** Why a worker gets no more, and how long it may go on with what it has. */
export class DrainForm extends ReasonForm {
  /** It may finish all of it when absent. */
  @From({ read: wholeNumber })
  @IsOptional()
  @IsInt(MINUTES)
  @Min(1, MINUTES)
  @Max(MINUTES_MAX, MINUTES)
  deadline_minutes?: number;
}

/** Why something goes on. */
export class EndForm extends RevokeRequest {
  @From({ read: absentWhenEmpty })
  declare reason?: string;

  @IsOptional()
  confirmed?: unknown;
}

/** A scope, and why it is held back. */
export class PauseForm extends ReasonForm {
  @From({ read: absentWhenEmpty })
  suite?: string;

  @From({ read: absentWhenEmpty })
  arch?: string;
}

/** A scope that goes on. */
@Strict()
export class ResumeForm {
  @From({ read: absentWhenEmpty })
  suite?: string;

  @From({ read: absentWhenEmpty })
  arch?: string;

  @From({ read: absentWhenEmpty })
  reason?: string;
}

export class CredentialsForm extends CredentialsRequest {
  @From({ read: absentWhenEmpty })
  declare url?: string;

  @From({ read: absentWhenEmpty })
  declare ca?: string;

  @From({ read: absentWhenEmpty })
  declare reason?: string;

  @IsOptional()
  confirmed?: unknown;
}

export class NewWorkerForm extends NewWorker {
  @From({
    read: ({ value }) =>
      String(value)
        .split(/[\s,]+/)
        .filter(Boolean),
  })
  declare architectures: string[];

  @From({ text: 'boolean' })
  declare private?: boolean;

  @From({ read: absentWhenEmpty })
  declare url?: string;

  @From({ read: absentWhenEmpty })
  declare ca?: string;

  @From({ read: absentWhenEmpty })
  declare reason?: string;
}

/** Which runs are meant, and what is done to them. */
export class RunsForm extends Selection {
  @From({ read: idsOf })
  declare run_ids?: number[];

  @From({ read: absentWhenEmpty })
  declare package?: string;

  @From({ read: absentWhenEmpty })
  declare trigger?: string;

  @From({ read: absentWhenEmpty })
  declare suite?: string;

  @From({ read: absentWhenEmpty })
  declare arch?: string;

  @From({ read: absentWhenEmpty })
  declare reason?: string;

  /** Of waiting runs, when it is what is changed. */
  @From({ read: (parameter) => (parameter.value === '' ? undefined : priorityOf(parameter)) })
  priority?: number;

  @IsOptional()
  confirmed?: unknown;
}

/** The text itself when it is no whole number. */
function wholeNumber({ value }: Parameter): unknown {
  if (value === '') return undefined;
  return /^\d{1,9}$/.test(String(value)) ? Number(value) : value;
}

function idsOf(parameter: Parameter, name: string, server: ApiConfiguration['server']): number[] | undefined {
  return parameter.value === '' ? undefined : runIdsOf(parameter, name, server);
}
