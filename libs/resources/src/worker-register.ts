import { describe, isArchitecture, must, Strict } from '@proctor/contracts';
import { Length, ValidateBy, type ValidationArguments } from 'class-validator';
import { Description, Field, OptionalField } from './field';
import { component, flag, listOf, orAsJson, orNull, text, whole } from './schema';
import { TIME, REASON, NAME_OF_WORKER } from './values';

/** A worker as the register has it. */
export class RegisteredWorkerResource {
  @Field(NAME_OF_WORKER)
  name: string;

  @Field(listOf(text()))
  architectures: string[];

  @Field(flag(), 'It may run private tests.')
  private: boolean;

  @Field(TIME)
  created_at: string;

  @Field(orNull(TIME), 'Null while it is valid.')
  revoked_at: string | null;

  @Field(orNull(TIME), 'Up to a minute late.')
  last_seen_at: string | null;

  @Field(orNull(text()), 'Its address, where it is known.')
  last_seen_from: string | null;

  @Field(whole({ minimum: 0 }), 'Messages of it that no dispatcher took, since it was added.')
  refusals: number;

  @Field(orNull(text()), 'Why the last one was not taken.')
  last_refusal: string | null;

  @Field(orNull(TIME))
  last_refused_at: string | null;
}

/** The register of workers. */
export class RegisteredWorkerList {
  @Field(listOf(RegisteredWorkerResource))
  workers: RegisteredWorkerResource[];
}

const ARCHITECTURES_MAX = 100;
const isArchitectureName = (value: unknown): boolean => typeof value === 'string' && isArchitecture(value);

function isListOfSize(value: unknown): value is unknown[] {
  return Array.isArray(value) && value.length >= 1 && value.length <= ARCHITECTURES_MAX;
}

function AreArchitectures(): PropertyDecorator {
  const { message } = must(`be an array of 1 to ${ARCHITECTURES_MAX} names of architectures`);
  return ValidateBy(
    {
      name: 'areArchitectures',
      validator: { validate: (value: unknown) => isListOfSize(value) && value.every(isArchitectureName) },
    },
    {
      message: (of: ValidationArguments) => {
        const value: unknown = of.value;
        if (!isListOfSize(value)) return (message as (of: ValidationArguments) => string)(of);
        const odd = value.find((each) => !isArchitectureName(each));
        return `must each be the name of an architecture, not ${describe(odd)}`;
      },
    },
  );
}

const CREDENTIALS_LENGTH_MAX = 100_000;

/** Credentials for a worker. What is left out is as for the services. */
@Strict()
export class CredentialsRequest {
  @OptionalField(
    text(),
    'How the worker reaches NATS: `nats://HOST:PORT` or `tls://HOST:PORT`. As the services do when it is left out.',
    Length(1, CREDENTIALS_LENGTH_MAX, must('be nats://HOST:PORT or tls://HOST:PORT')),
  )
  url?: string;

  @OptionalField(
    text(),
    "Certificates in PEM that the server's own is checked against; needed with `tls://`.",
    Length(1, CREDENTIALS_LENGTH_MAX, must('be certificates in PEM')),
  )
  ca?: string;

  @OptionalField(REASON)
  reason?: string;
}

export class NewWorker extends CredentialsRequest {
  @Field(NAME_OF_WORKER)
  name: string;

  @Field(
    orAsJson(listOf(text())),
    'The architectures that it serves, at least one; in a form, the array as JSON.',
    AreArchitectures(),
  )
  architectures: string[];

  @OptionalField(flag({ default: false }), 'It may run private tests.')
  private?: boolean;
}

@Strict()
export class RevokeRequest {
  @OptionalField(REASON)
  reason?: string;
}

@Description("What the worker's credentials file has to hold, as JSON.")
export class CredentialsResource {
  @Field(NAME_OF_WORKER)
  name: string;

  @Field(text())
  url: string;

  @Field(text(), 'The secret half of its key.')
  seed: string;

  @OptionalField(text())
  ca?: string;
}

export const NOTICE = component(
  'Notice',
  orNull(text(), {
    description:
      'What is left to do, for people: the register is changed, and nats-server does not know of it. Null: nothing.',
  }),
);

/** A change of the register. */
export class RegisterChangeResource {
  @Field(NAME_OF_WORKER)
  worker: string;

  @Field(NOTICE)
  notice: string | null;
}

/** The one answer that has the secret of a worker: it is kept nowhere. */
export class NewCredentials extends RegisterChangeResource {
  @Field(CredentialsResource)
  credentials: CredentialsResource;
}
