import { describe, PRIORITY_MAX, PRIORITY_MIN } from '@proctor/contracts';
import { REQUEST_FIELDS } from '@proctor/request-fields';
import { badRequestAt } from '../http/problem';
import type { Parameter } from '../http/parameters';

export const PRIORITY_RANGE = `a whole number from ${PRIORITY_MIN} to ${PRIORITY_MAX}`;

/** Reads a number of a test request. */
type ReadNumber = (parameter: Parameter, name: string) => number | undefined;

/**
 * Reads a whole number: decimal digits in a text, a number in JSON. Null counts as absent.
 * @throws Problem 400 for anything but a whole number in the range
 */
export function numberFrom({ minimum, maximum }: { minimum: number; maximum: number }): ReadNumber {
  const isNumber = (text: string): boolean => text.length <= String(maximum).length && /^\d+$/.test(text);
  return ({ value, isText, pointer }, name) => {
    if (value === null) return undefined;
    const number = isText && isNumber(value as string) ? Number(value) : value;
    if (typeof number === 'number' && Number.isInteger(number) && number >= minimum && number <= maximum)
      return number;
    const range = `a whole number from ${minimum} to ${maximum}`;
    throw badRequestAt(`${name} must be ${range}, not ${describe(value)}.`, pointer);
  };
}

export const priorityOf = numberFrom(REQUEST_FIELDS.priority);
