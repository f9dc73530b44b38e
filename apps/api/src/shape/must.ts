import type { ValidationArguments, ValidationOptions } from 'class-validator';
import { describe } from '../http/problem';

/** The message lacks its subject, the place of the value in the request: whoever reads the value knows that. */
export function must(rule: string): ValidationOptions {
  return {
    message: ({ value }: ValidationArguments) =>
      value === undefined ? `must ${rule}, and is missing` : `must ${rule}, not ${describe(value)}`,
  };
}
