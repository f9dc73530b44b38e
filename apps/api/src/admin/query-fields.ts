import { describe, isStorable } from '@proctor/contracts';
import { refused } from '../http/problem';
import type { Parameter } from '../http/parameters';

const TEXT_LENGTH_MAX = 300;

/**
 * A text of a list's query; an empty field of its form counts as left out.
 * @throws Problem 400
 */
export function textOf({ value, pointer }: Parameter, name: string): string | undefined {
  if (value === '') return undefined;
  if (typeof value === 'string' && value.length <= TEXT_LENGTH_MAX && isStorable(value)) return value;
  throw refused(
    `${name} must be a text of at most ${TEXT_LENGTH_MAX} characters, not ${describe(value)}.`,
    pointer,
  );
}

/** A value of a form whose empty field counts as left out. */
export function absentWhenEmpty({ value, isText }: Parameter): unknown {
  return isText && value === '' ? undefined : value;
}

/**
 * A whole number from 1 on.
 * @throws Problem 400
 */
export function numberOf({ value, pointer }: Parameter, name: string, most: number): number {
  const number = /^[1-9]\d{0,15}$/.test(String(value)) ? Number(value) : NaN;
  if (number <= most) return number;
  throw refused(`${name} must be a whole number from 1 to ${most}, not ${describe(value)}.`, pointer);
}
