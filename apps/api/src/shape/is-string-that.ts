import { ValidateBy } from 'class-validator';
import type { ValidationOptions } from 'class-validator';

/** A string that passes a check, as one of a name. */
export function IsStringThat(
  passes: (text: string) => boolean,
  options: ValidationOptions,
): PropertyDecorator {
  const validate = (value: unknown): boolean => typeof value === 'string' && passes(value);
  return ValidateBy({ name: 'isStringThat', validator: { validate } }, options);
}
