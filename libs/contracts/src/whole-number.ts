import { ValidateBy, type ValidationOptions } from 'class-validator';

/**
 * A whole number in a range, both ends included. Each number of a message has a range: the rows, the estimates and the pages
 * work for every number in it.
 */
export function IsWholeFrom(min: number, max: number, options: ValidationOptions = {}): PropertyDecorator {
  const isInRange = (value: unknown): boolean =>
    Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max;
  return ValidateBy(
    {
      name: 'isWholeFrom',
      validator: {
        validate: isInRange,
        defaultMessage: (context) => `${context?.property} must be a whole number from ${min} to ${max}`,
      },
    },
    options,
  );
}
