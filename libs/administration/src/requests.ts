import {
  describe,
  faultsOf,
  isArchitecture,
  isPackageName,
  isWord,
  IsArchitectureName,
  IsReason,
  IsStorableText,
  IsStringThat,
  IsSuiteName,
  IsWorkerName,
  must,
  RUN_ID_MAX,
  Strict,
} from '@proctor/contracts';
import {
  IsArray,
  IsBoolean,
  IsInt,
  IsOptional,
  Length,
  Max,
  Min,
  ValidateBy,
  type ValidationArguments,
} from 'class-validator';
import { Refusal } from './refusal';

/** Something that no deployment could do. */
export class InvalidRequest extends Refusal {
  constructor(message: string, field: string | null = null) {
    super('invalid', message, field);
  }
}

/** Everything, all queues of a suite or architecture, or one queue. */
@Strict()
export class Scope {
  @IsOptional()
  @IsSuiteName()
  suite?: string;

  @IsOptional()
  @IsArchitectureName()
  arch?: string;
}

export class PauseRequest extends Scope {
  @IsReason()
  reason: string;
}

export class ResumeRequest extends Scope {
  @IsOptional()
  @IsReason()
  reason?: string;
}

const DEADLINE_SECONDS_MAX = 30 * 86_400;
const DEADLINE = must(`be a whole number of seconds from 1 to ${DEADLINE_SECONDS_MAX}`);

@Strict()
export class DrainRequest {
  @IsWorkerName()
  worker: string;

  @IsReason()
  reason: string;

  /** What it still executes then is handed back; it may finish all of it when absent. */
  @IsOptional()
  @IsInt(DEADLINE)
  @Min(1, DEADLINE)
  @Max(DEADLINE_SECONDS_MAX, DEADLINE)
  deadline_seconds?: number;
}

/** A worker is to be taken for unsound. */
@Strict()
export class QuarantineRequest {
  @IsWorkerName()
  worker: string;

  @IsReason()
  reason: string;
}

/** A worker is to get runs again. */
@Strict()
export class RestoreRequest {
  @IsWorkerName()
  worker: string;

  @IsOptional()
  @IsReason()
  reason?: string;
}

const IDS = must('be an array of ids of runs, or a string of them separated by commas');

/** Which runs are meant: those that match every field. */
export class Selection extends ResumeRequest {
  @IsOptional()
  @IsArray(IDS)
  @IsInt({ each: true, ...IDS })
  @Max(RUN_ID_MAX, { each: true, ...IDS })
  run_ids?: number[];

  @IsOptional()
  @IsStringThat(isPackageName, must('be the name of a source package'))
  package?: string;

  @IsOptional()
  @IsStorableText(must('be a string without NUL and without lone surrogates'))
  trigger?: string;
}

/** Characters. How many it must have is the deployment's. */
const PASSWORD_LENGTH_MAX = 500;
/** Says nothing of the value: it is a secret, also when it is none yet. */
const PASSWORD = {
  message: `must be a text of at most ${PASSWORD_LENGTH_MAX} characters without NUL, and not empty`,
};

/** Another password of a user. */
@Strict()
export class PasswordRequest {
  /** Drawn when absent. */
  @IsOptional()
  @Length(1, PASSWORD_LENGTH_MAX, PASSWORD)
  @IsStorableText(PASSWORD)
  password?: string;
}

export class NewUser extends PasswordRequest {
  @IsStringThat(
    isWord,
    must('be letters, digits and + . _ - only, at most 100, and begin with a letter or digit'),
  )
  name: string;

  @IsOptional()
  @IsBoolean(must('be true or false'))
  admin?: boolean;
}

/** Where runs of a package are executed when the request does not say. */
@Strict()
export class BackendRequest {
  /** Empty: the deployment's default. */
  @IsStringThat((text) => text === '' || isWord(text), must('be the name of a backend, or empty'))
  backend: string;
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
      message: (told: ValidationArguments) => {
        const value: unknown = told.value;
        if (!isListOfSize(value)) return (message as (told: ValidationArguments) => string)(told);
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
  /** How it reaches NATS. */
  @IsOptional()
  @Length(1, CREDENTIALS_LENGTH_MAX, must('be nats://HOST:PORT or tls://HOST:PORT'))
  url?: string;

  /** Certificates in PEM that the server's own is checked against; with `tls://`. */
  @IsOptional()
  @Length(1, CREDENTIALS_LENGTH_MAX, must('be certificates in PEM'))
  ca?: string;

  @IsOptional()
  @IsReason()
  reason?: string;
}

export class NewWorker extends CredentialsRequest {
  @IsWorkerName()
  name: string;

  @AreArchitectures()
  architectures: string[];

  /** It may run private tests. */
  @IsOptional()
  @IsBoolean(must('be true or false'))
  private?: boolean;
}

@Strict()
export class RevokeRequest {
  @IsOptional()
  @IsReason()
  reason?: string;
}

/**
 * A request whose fields were not read by an entrance of their own.
 * @throws InvalidRequest that names each field that breaks a rule
 */
export function requestOf<T extends object>(shape: new () => T, fields: Partial<T>): T {
  const request = Object.assign(new shape(), fields);
  const faults = faultsOf(request);
  if (faults.length === 0) return request;
  throw new InvalidRequest(faults.map(({ key, detail }) => `${key} ${detail}`).join('; '), faults[0]!.key);
}
