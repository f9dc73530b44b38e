import { isArchitecture, isReason, isStorable, isWord, REASON_LENGTH_MAX } from '@proctor/contracts';
import { ValidateBy } from 'class-validator';
import type { ValidationArguments, ValidationOptions } from 'class-validator';
import { describe } from './problem';

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

/** What PostgreSQL can keep and give back unchanged. */
export function IsStorableText(options: ValidationOptions): PropertyDecorator {
  return IsStringThat(isStorable, options);
}

/** Why somebody decided something, for people. */
export function IsReason(): PropertyDecorator {
  return IsStringThat(isReason, must(`be a string of 1 to ${REASON_LENGTH_MAX} characters without NUL`));
}

/** It need not be tested now: runs and pauses of what was tested may be left. */
export function IsSuiteName(): PropertyDecorator {
  return IsStringThat(isWord, must('be the name of a suite'));
}

/** It need not be tested now either. */
export function IsArchitectureName(): PropertyDecorator {
  return IsStringThat(isArchitecture, must('be the name of an architecture'));
}
