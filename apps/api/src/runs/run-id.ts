import type { PipeTransform } from '@nestjs/common';
import { runIdIn, describe } from '@proctor/contracts';
import { badRequest, notFound } from '../http/problem';
import type { Problem } from '../http/problem';

/** The id of a run in a path. */
export class RunIdPipe implements PipeTransform<string, number> {
  /** @throws Problem 404 for what cannot be the id of a run */
  transform(text: string): number {
    return runIdOf(text);
  }
}

/** The parameter `before` of a list, newest first: the last run of the page before; null at its beginning. */
export class BeforePipe implements PipeTransform<unknown, number | null> {
  /** @throws Problem 400 when it is given more than once; 404 for what cannot be the id of a run */
  transform(value: unknown): number | null {
    if (value === undefined) return null;
    if (typeof value !== 'string') throw badRequest(`before must be one run id, not ${describe(value)}.`);
    return runIdOf(value);
  }
}

/** @throws Problem 404 for what cannot be the id of a run */
export function runIdOf(text: string): number {
  const id = runIdIn(text);
  if (id !== null) return id;
  throw noSuchRun(text);
}

/** Also the answer for a run that the client may not see: its existence is not shown. */
export function noSuchRun(id: number | string): Problem {
  return notFound(`There is no run ${typeof id === 'number' ? id : describe(id)}.`);
}
