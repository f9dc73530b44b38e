import { IsArchitectureName, IsSuiteName, must, Strict } from '@proctor/contracts';
import { IsInt, Max, Min } from 'class-validator';
import { Description, Field, OptionalField } from './field';
import { component, listOf, orNull, text, whole } from './schema';
import { REASON, TIME, NAME_OF_WORKER } from './values';

/** Who decided something, and why. */
export class DecisionResource {
  @Field(text(), 'User name.')
  by: string;

  @Field(text())
  reason: string;

  @Field(TIME)
  since: string;
}

const DEADLINE_SECONDS_MAX = 30 * 86_400;
const DEADLINE_RULE = must(`be a whole number of seconds from 1 to ${DEADLINE_SECONDS_MAX}`);

export const DEADLINE_SECONDS = component(
  'DeadlineSeconds',
  whole({
    minimum: 1,
    maximum: DEADLINE_SECONDS_MAX,
    description:
      'After this time the worker hands back the runs that it still executes; without a deadline it may finish them all.',
  }),
  IsInt(DEADLINE_RULE),
  Min(1, DEADLINE_RULE),
  Max(DEADLINE_SECONDS_MAX, DEADLINE_RULE),
);

/** Everything, all queues of a suite or architecture, or one queue. */
@Strict()
export class Scope {
  @OptionalField(text(), 'Every suite when left out.', IsSuiteName())
  suite?: string;

  @OptionalField(text(), 'Every architecture when left out.', IsArchitectureName())
  arch?: string;
}

@Description('Without suite and architecture, the pause is for everything.')
export class PauseRequest extends Scope {
  @Field(REASON)
  reason: string;
}

@Description('Without suite and architecture, it ends the pause of everything.')
export class ResumeRequest extends Scope {
  @OptionalField(REASON)
  reason?: string;
}

@Strict()
export class DrainRequest {
  @Field(NAME_OF_WORKER)
  worker: string;

  @Field(REASON)
  reason: string;

  @OptionalField(DEADLINE_SECONDS)
  deadline_seconds?: number;
}

/** A worker is to get no runs until it has proved sound. */
@Strict()
export class QuarantineRequest {
  @Field(NAME_OF_WORKER)
  worker: string;

  @Field(REASON)
  reason: string;
}

/** A worker is to get runs again. */
@Strict()
export class RestoreRequest {
  @Field(NAME_OF_WORKER)
  worker: string;

  @OptionalField(REASON)
  reason?: string;
}

/** The queues that a decision concerns. */
export class PauseScopeResource {
  @Field(orNull(text()), 'Null for every suite.')
  suite: string | null;

  @Field(orNull(text()), 'Null for every architecture.')
  arch: string | null;
}

/** A pause that was just made. */
export class NewPause extends PauseScopeResource {
  @Field(text(), 'User name.')
  by: string;

  @Field(text())
  reason: string;
}

export class PauseResource extends NewPause {
  @Field(TIME)
  since: string;
}

/** A drain that was just ordered. */
export class NewDrain {
  @Field(NAME_OF_WORKER)
  worker: string;

  @Field(text(), 'User name.')
  by: string;

  @Field(text())
  reason: string;
}

export class DrainResource extends NewDrain {
  @Field(TIME)
  since: string;

  @Field(orNull(TIME), 'When it hands back what it still executes; null when it may finish all of it.')
  deadline: string | null;
}

/** All that holds queues and workers back. */
export class DecisionList {
  @Field(listOf(PauseResource))
  pauses: PauseResource[];

  @Field(listOf(DrainResource))
  drains: DrainResource[];
}

/** A worker that gets all kinds of runs again. */
export class UndrainedWorker {
  @Field(NAME_OF_WORKER)
  worker: string;
}

/** A worker that was quarantined, and where. */
export class QuarantineResource {
  @Field(NAME_OF_WORKER)
  worker: string;

  @Field(listOf(text()))
  architectures: string[];

  @Field(text(), 'User name.')
  by: string;

  @Field(text())
  reason: string;
}

/** A worker that is trusted again, and where it was not. */
export class TrustResource {
  @Field(NAME_OF_WORKER)
  worker: string;

  @Field(listOf(text()))
  architectures: string[];

  @Field(text(), 'User name.')
  by: string;

  @Field(orNull(text()))
  reason: string | null;
}
