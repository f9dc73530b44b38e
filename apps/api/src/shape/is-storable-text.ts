import { isStorable } from '@proctor/contracts';
import { ValidateBy } from 'class-validator';
import type { ValidationOptions } from 'class-validator';

/** What PostgreSQL can keep and give back unchanged. */
export function IsStorableText(options: ValidationOptions): PropertyDecorator {
  const validate = (value: unknown): boolean => typeof value === 'string' && isStorable(value);
  return ValidateBy({ name: 'isStorableText', validator: { validate } }, options);
}
