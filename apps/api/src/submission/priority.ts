import { PRIORITY_MAX, PRIORITY_MIN } from '@proctor/contracts';
import { describe, refused } from '../http/problem';
import type { Parameter } from '../transport/parameters';

/**
 * The parameter `priority`: decimal digits in a text, a number in JSON (null counts as left out).
 * @throws Problem 400 for anything but a whole number in the range
 */
export function optionalPriority(parameter: Parameter | undefined): number | undefined {
  if (!parameter || parameter.value === null) return undefined;
  const { value, isText, pointer } = parameter;
  const number = isText && /^\d{1,2}$/.test(value as string) ? Number(value) : value;
  if (
    typeof number === 'number' &&
    Number.isInteger(number) &&
    number >= PRIORITY_MIN &&
    number <= PRIORITY_MAX
  ) {
    return number;
  }
  const range = `from ${PRIORITY_MIN} to ${PRIORITY_MAX}`;
  throw refused(`priority must be a whole number ${range}, not ${describe(value)}.`, pointer);
}
