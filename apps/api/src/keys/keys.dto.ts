import type { PipeTransform } from '@nestjs/common';
import { Length } from 'class-validator';
import { describe, notFound } from '../http/problem';
import type { Problem } from '../http/problem';
import { IsStorableText, must } from '../http/rules';

const LENGTH_MAX = 100;
const RULE = must(`be a string of 1 to ${LENGTH_MAX} characters without NUL`);

/** A request for a key. */
export class NewKey {
  /** What its user calls it. */
  @Length(1, LENGTH_MAX, RULE)
  @IsStorableText(RULE)
  name: string;
}

const KEY_ID_MAX = 2 ** 31 - 1;

/** The id of a key in a path. */
export class KeyIdPipe implements PipeTransform<string, number> {
  /** @throws Problem 404 */
  transform(text: string): number {
    const id = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : NaN;
    if (id <= KEY_ID_MAX) return id;
    throw noSuchKey(text);
  }
}

export function noSuchKey(id: string | number): Problem {
  return notFound(`You have no API key ${describe(String(id))}.`);
}
