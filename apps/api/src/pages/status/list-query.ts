import { describe } from '@proctor/contracts';
import type { ListFilter } from '@proctor/database';
import type { Parameter } from '../../http/parameters';
import { badRequest } from '../../http/problem';
import {
  flagIn,
  fromQuery,
  queryOf,
  queryValue,
  text,
  wholeNumber,
  wordsIn,
} from '../../http/parameter-values';

/** The query parameters of a list. */
export interface ListQuery extends ListFilter {
  /** The last entry of the previous page, as the cursor of the list encodes it; null on the first page. */
  after: string | null;
  /** Only changes after this time; a week ago by default. */
  since: Date;
  /** Only durations of at least this many minutes; 60 by default. */
  minutes: number;
  /** `since` and `minutes` as the query has them; null when not given. */
  texts: Record<'since' | 'minutes', string | null>;
  /** Whether private runs are requested; null when not given. With true the list is empty: no list has private runs. */
  isPrivate: boolean | null;
}

export const DAYS_BACK = 7;
/** The filter that any entry matches. */
export const ALL: ListFilter = { suites: null, architectures: null, package: null };
const MINUTES = 60;
export const MINUTES_MAX = 100_000;
const DAY_MS = 86_400_000;
const TEXT = text(1_000);

/** Reads the query of a list. An empty form field counts as not given. */
export const LIST_QUERY = queryOf<ListQuery>({
  package: queryValue(namePattern),
  texts: ({ since, minutes }) => ({
    since: fromQuery('since', since, TEXT),
    minutes: fromQuery('minutes', minutes, TEXT),
  }),
  suites: (query) => wordsIn(query, 'suite'),
  architectures: (query) => wordsIn(query, 'arch'),
  after: queryValue(TEXT),
  since: (query) => fromQuery('since', query['since'], timeOf) ?? daysAgo(DAYS_BACK),
  minutes: queryValue(wholeNumber(1, MINUTES_MAX), MINUTES),
  isPrivate: (query) => flagIn(query, 'is_private'),
});

function namePattern(parameter: Parameter, name: string): string {
  const pattern = TEXT(parameter, name);
  if (/^[a-z0-9+.*-]+$/.test(pattern)) return pattern;
  throw badRequest(`${name} must be the name of a package, with * for anything, not ${describe(pattern)}.`);
}

/** The beginning of a day in UTC, so that the same request has the same result all day. */
export function daysAgo(days: number): Date {
  return new Date(Math.floor(Date.now() / DAY_MS - days) * DAY_MS);
}

/** Reads `YYYY-MM-DD` (UTC) or UNIX seconds. @throws Problem 400 when the value is neither */
function timeOf(parameter: Parameter, name: string): Date {
  const text = TEXT(parameter, name);
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text);
  const time = new Date(isDay ? `${text}T00:00:00Z` : /^\d{1,11}$/.test(text) ? Number(text) * 1_000 : NaN);
  if (!Number.isNaN(time.getTime())) return time;
  throw badRequest(
    `${name} must be a day as YYYY-MM-DD, or a UNIX timestamp in seconds, not ${describe(text)}.`,
  );
}
