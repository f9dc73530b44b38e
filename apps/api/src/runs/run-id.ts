import type { PipeTransform } from '@nestjs/common';
import { runIdIn } from '@proctor/contracts';
import { describe, notFound } from '../http/problem';
import type { Problem } from '../http/problem';

/** The id of a run in a path. */
export class RunIdPipe implements PipeTransform<string, number> {
  /** @throws Problem 404 for what cannot be the id of a run */
  transform(text: string): number {
    return runIdOf(text);
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
