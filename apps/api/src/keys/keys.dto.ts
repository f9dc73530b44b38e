import { describe } from '@proctor/contracts';
import type { PipeTransform } from '@nestjs/common';
import { notFound } from '../http/problem';
import type { Problem } from '../http/problem';

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
