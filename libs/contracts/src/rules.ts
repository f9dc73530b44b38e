import { ValidateBy, validateSync, type ValidationArguments, type ValidationOptions } from 'class-validator';
import { KnownShape } from './known-shape';
import { isArchitecture, isWord } from './names';
import { WORKER_NAME } from './lease-request';
import { isReason, isStorable, REASON_LENGTH_MAX } from './text';

/** The message lacks its subject, the place of the value in the request: the reader of the value adds it. */
export function must(rule: string): ValidationOptions {
  return {
    message: ({ value }: ValidationArguments) =>
      value === undefined ? `must ${rule}, and is missing` : `must ${rule}, not ${describe(value)}`,
  };
}

/** A string that passes a check, as one of a name. */
export function IsStringThat(
  passes: (text: string) => boolean,
  options: ValidationOptions,
): PropertyDecorator {
  const validate = (value: unknown): boolean => typeof value === 'string' && passes(value);
  return ValidateBy({ name: 'isStringThat', validator: { validate } }, options);
}

/** A text that PostgreSQL can store unchanged. */
export function IsStorableText(options: ValidationOptions): PropertyDecorator {
  return IsStringThat(isStorable, options);
}

/** Why a user decided something, for people. */
export function IsReason(): PropertyDecorator {
  return IsStringThat(isReason, must(`be a string of 1 to ${REASON_LENGTH_MAX} characters without NUL`));
}

/** A suite that need not be configured now: runs and pauses of earlier suites may exist. */
export function IsSuiteName(): PropertyDecorator {
  return IsStringThat(isWord, must('be the name of a suite'));
}

/** An architecture that need not be configured now. */
export function IsArchitectureName(): PropertyDecorator {
  return IsStringThat(isArchitecture, must('be the name of an architecture'));
}

/** A worker that need not be registered. */
export function IsWorkerName(): PropertyDecorator {
  return IsStringThat((text) => WORKER_NAME.test(text), must('be the name of a worker'));
}

const STRICT = Symbol('strict');

/**
 * Refuses parameters that are not a field of the class: where much may change at once, a misspelt one must not be ignored.
 * A parameter that is null counts as absent, and all faults are listed.
 */
export function Strict(): ClassDecorator {
  return (shape) => Reflect.defineMetadata(STRICT, true, shape);
}

export function isStrict(shape: new () => object): boolean {
  return Reflect.hasMetadata(STRICT, shape);
}

/** One fault of a request. */
interface ShapeFault {
  key: string;
  /** A sentence without its subject: `must be a string, not 5`. */
  detail: string;
}

/** The broken rules of an instance's class, the first of each key. */
export function faultsOf(instance: object): ShapeFault[] {
  if (KnownShape.of(instance.constructor as new () => object)?.isKept(instance)) return [];
  return validateSync(instance, { stopAtFirstError: true }).flatMap(({ property, constraints }) =>
    Object.values(constraints ?? {}).map((detail) => ({ key: property, detail })),
  );
}

const SHOWN_LENGTH_MAX = 80;

/** A value of the client for a message: short, never nested, one line. */
export function describe(value: unknown): string {
  if (value === undefined) return 'missing';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  const text =
    typeof value === 'string' && value.length > SHOWN_LENGTH_MAX
      ? `${value.slice(0, SHOWN_LENGTH_MAX)}…`
      : value;
  return typeof text === 'string' ? JSON.stringify(wellFormed(text)) : JSON.stringify(text);
}

/** Lone surrogates, which no encoding can carry, become U+FFFD. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}
