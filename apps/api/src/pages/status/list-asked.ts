import type { PipeTransform } from '@nestjs/common';
import { describe } from '@proctor/contracts';
import type { ListFilter } from '@proctor/database';
import { badRequest } from '../../http/problem';
import { flagIn, fromQuery, text, wholeNumber, wordsIn } from '../../http/parameter-values';

/** What is asked of a list. */
export interface ListAsked extends ListFilter {
  /** The last entry of the part before, in the words of the list; null at its beginning. */
  after: string | null;
  /** Changes since then; a week ago unless it is given. */
  since: Date;
  /** Durations from so many on; an hour unless given. */
  minutes: number;
  /** The two as they were asked for; null where they were not. */
  given: Record<'since' | 'minutes', string | null>;
  isBound: boolean;
  /** Whether private runs are meant; null: it was not said. No list has any. */
  isPrivate: boolean | null;
}

const DAYS_BACK = 7;
const MINUTES = 60;
export const MINUTES_MAX = 100_000;
const DAY_MS = 86_400_000;
const TEXT = text(1_000);

/** The query of a list; an empty field of its form counts as left out. */
export class ListPipe implements PipeTransform<Record<string, unknown>, ListAsked> {
  /** @throws Problem 400 that names the field and what it holds */
  transform(query: Record<string, unknown>): ListAsked {
    const name = fromQuery('package', query['package'], TEXT);
    if (name !== null && !/^[a-z0-9+.*-]+$/.test(name))
      throw badRequest(`package must be the name of a package, with * for anything, not ${describe(name)}.`);
    const given = {
      since: fromQuery('since', query['since'], TEXT),
      minutes: fromQuery('minutes', query['minutes'], TEXT),
    };
    return {
      suites: wordsIn(query, 'suite'),
      architectures: wordsIn(query, 'arch'),
      package: name,
      after: fromQuery('after', query['after'], TEXT),
      since: given.since === null ? daysAgo(DAYS_BACK) : timeOf(given.since),
      minutes: fromQuery('minutes', query['minutes'], wholeNumber(1, MINUTES_MAX)) ?? MINUTES,
      given,
      isBound: given.since !== null || given.minutes !== null,
      isPrivate: flagIn(query, 'is_private'),
    };
  }
}

/** The beginning of a day, UTC, so that the answer is the same all day. */
export function daysAgo(days: number): Date {
  return new Date(Math.floor(Date.now() / DAY_MS - days) * DAY_MS);
}

/** `YYYY-MM-DD`, UTC, or UNIX seconds. */
function timeOf(text: string): Date {
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text);
  const time = new Date(isDay ? `${text}T00:00:00Z` : /^\d{1,11}$/.test(text) ? Number(text) * 1_000 : NaN);
  if (!Number.isNaN(time.getTime())) return time;
  throw badRequest(
    `since must be a day as YYYY-MM-DD, or a UNIX timestamp in seconds, not ${describe(text)}.`,
  );
}
