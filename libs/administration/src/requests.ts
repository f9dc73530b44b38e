import {
  IsStorableText,
  IsStringThat,
  RUN_ID_MAX,
  Strict,
  faultsOf,
  isPackageName,
  isWord,
  must,
} from '@proctor/contracts';
import { ResumeRequest } from '@proctor/resources';
import { IsArray, IsInt, IsOptional, Max } from 'class-validator';

/**
 * Why a request is refused: `invalid`, what it says cannot be; `forbidden`, who asks may not; `unknown`, there is nothing of that
 * name; `conflict`, it does not fit what there is now.
 */
export type RefusalKind = 'invalid' | 'forbidden' | 'unknown' | 'conflict';

/** Nothing was changed. The message is for people: it begins in lower case and has no full stop. */
export class Refusal extends Error {
  constructor(
    readonly kind: RefusalKind,
    message: string,
    /** The field of the request that is to blame; null when it is none. */
    readonly field: string | null = null,
  ) {
    super(message);
  }
}

/** Something that no deployment could do. */
export class InvalidRequest extends Refusal {
  constructor(message: string, field: string | null = null) {
    super('invalid', message, field);
  }
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

/** Where runs of a package are executed when the request does not say. */
@Strict()
export class BackendRequest {
  /** Empty: the deployment's default. */
  @IsStringThat((text) => text === '' || isWord(text), must('be the name of a backend, or empty'))
  backend: string;
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
