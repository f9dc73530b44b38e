import { PRIORITY_MAX, PRIORITY_MIN, describe } from '@proctor/contracts';
import { refused } from '../http/problem';
import type { Parameter } from '../http/parameters';

export const PRIORITY_RANGE = `a whole number from ${PRIORITY_MIN} to ${PRIORITY_MAX}`;

/**
 * The parameter `priority`: decimal digits in a text, a number in JSON (null counts as left out).
 * @throws Problem 400 for anything but a whole number in the range
 */
export function priorityOf({ value, isText, pointer }: Parameter): number | undefined {
  if (value === null) return undefined;
  const number = isText && /^\d{1,2}$/.test(value as string) ? Number(value) : value;
  if (
    typeof number === 'number' &&
    Number.isInteger(number) &&
    number >= PRIORITY_MIN &&
    number <= PRIORITY_MAX
  ) {
    return number;
  }
  throw refused(`priority must be ${PRIORITY_RANGE}, not ${describe(value)}.`, pointer);
}
