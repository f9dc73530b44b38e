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
import {
  Description,
  Field,
  OptionalField,
  PACKAGE_NAME,
  RUN_IDS,
  ResumeRequest,
  listOf,
  oneOf,
  sentAs,
  text,
  whole,
} from '@proctor/resources';
import { IsArray, IsInt, Max } from 'class-validator';

/**
 * Why a request is refused. `invalid`: a value is impossible; `forbidden`: the user may not do this; `unknown`: the
 * named thing does not exist; `conflict`: the request contradicts the present state.
 */
export type RefusalKind = 'invalid' | 'forbidden' | 'unknown' | 'conflict';

/** Nothing was changed. The message is for people: it begins in lower case and has no full stop. */
export class Refusal extends Error {
  constructor(
    readonly kind: RefusalKind,
    message: string,
    /** The field of the request with the fault; null if no single field has it. */
    readonly field: string | null = null,
  ) {
    super(message);
  }
}

/** A request that no deployment could accept. */
export class InvalidRequest extends Refusal {
  constructor(message: string, field: string | null = null) {
    super('invalid', message, field);
  }
}

const IDS = must('be an array of ids of runs, or a string of them separated by commas');

@Description(
  'Runs that match all fields of the request; at least one of `run_ids`, `package`, `trigger`, `suite` and `arch` is needed. A null value counts as left out, an unknown field is refused.',
)
export class Selection extends ResumeRequest {
  @OptionalField(
    sentAs<number[]>(oneOf(RUN_IDS, listOf(whole({ maximum: RUN_ID_MAX })))),
    'Ids of runs of other keys are ignored.',
    IsArray(IDS),
    IsInt({ each: true, ...IDS }),
    Max(RUN_ID_MAX, { each: true, ...IDS }),
  )
  run_ids?: number[];

  @OptionalField(
    PACKAGE_NAME,
    undefined,
    IsStringThat(isPackageName, must('be the name of a source package')),
  )
  package?: string;

  @OptionalField(
    text(),
    'The whole of it.',
    IsStorableText(must('be a string without NUL and without lone surrogates')),
  )
  trigger?: string;
}

/** The backend for runs of a package whose request names none. */
@Strict()
export class BackendRequest {
  @Field(
    text(),
    "Empty: the deployment's default.",
    IsStringThat((name) => name === '' || isWord(name), must('be the name of a backend, or empty')),
  )
  backend: string;
}

/** Builds a request from fields and checks it. @throws InvalidRequest with the name of each field that breaks a rule */
export function requestOf<T extends object>(shape: new () => T, fields: Partial<T>): T {
  const request = Object.assign(new shape(), fields);
  const faults = faultsOf(request);
  if (faults.length === 0) return request;
  throw new InvalidRequest(faults.map(({ key, detail }) => `${key} ${detail}`).join('; '), faults[0]!.key);
}
