import { describe, Strict } from '@proctor/contracts';
import { refused } from '../http/problem';
import { From } from '../http/shape';
import type { Parameter } from '../http/parameters';
import { SEARCH_LENGTH_MAX } from './log-search';

/** The query of a run's log. */
export class LogQuery {
  /** The latest when it is absent. */
  @From({ read: positiveOf })
  attempt?: number;

  /** Bytes of the log that the client has. */
  @From({ read: countOf })
  offset?: number;
}

/** Which attempt of a run is meant. */
@Strict()
export class AttemptQuery {
  /** The latest when it is absent. */
  @From({ read: positiveOf })
  attempt?: number;
}

/** The query of a search in a run's log. */
@Strict()
export class LogSearchQuery extends AttemptQuery {
  @From({ read: wantedOf, missing: 'it holds the text that is searched for' })
  q: string;

  /** The first line that counts. */
  @From({ read: positiveOf })
  from?: number;
}

function wantedOf({ value, pointer }: Parameter, name: string): string {
  if (typeof value === 'string' && value !== '' && value.length <= SEARCH_LENGTH_MAX) return value;
  throw refused(
    `${name} must be a text of 1 to ${SEARCH_LENGTH_MAX} characters, not ${describe(value)}.`,
    pointer,
  );
}

function countOf({ value, pointer }: Parameter, name: string): number {
  const text = String(value);
  const count = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
  if (Number.isSafeInteger(count)) return count;
  throw refused(`${name} must be a whole number of at most 15 digits, not ${describe(text)}.`, pointer);
}

function positiveOf(parameter: Parameter, name: string): number {
  const count = countOf(parameter, name);
  if (count > 0) return count;
  throw refused(`${name} must be 1 or more, not 0.`, parameter.pointer);
}
