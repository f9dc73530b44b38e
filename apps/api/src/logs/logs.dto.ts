import { describe, Strict } from '@proctor/contracts';
import { refused } from '../http/problem';
import { wholeNumber } from '../http/parameter-values';
import { From } from '../http/shape';
import type { Parameter } from '../http/parameters';
import { SEARCH_LENGTH_MAX } from './log-search';

/** Of attempts, bytes and lines. */
export const COUNT_MAX = 10 ** 15 - 1;

/** The query of a run's log. */
export class LogQuery {
  /** The latest when it is absent. */
  @From({ read: wholeNumber(1, COUNT_MAX) })
  attempt?: number;

  /** Bytes of the log that the client has. */
  @From({ read: wholeNumber(0, COUNT_MAX) })
  offset?: number;
}

/** Which attempt of a run is meant. */
@Strict()
export class AttemptQuery {
  /** The latest when it is absent. */
  @From({ read: wholeNumber(1, COUNT_MAX) })
  attempt?: number;
}

/** The query of a search in a run's log. */
@Strict()
export class LogSearchQuery extends AttemptQuery {
  @From({ read: wantedOf, missing: 'it holds the text that is searched for' })
  q: string;

  /** The first line that counts. */
  @From({ read: wholeNumber(1, COUNT_MAX) })
  from?: number;
}

function wantedOf({ value, pointer }: Parameter, name: string): string {
  if (typeof value === 'string' && value !== '' && value.length <= SEARCH_LENGTH_MAX) return value;
  throw refused(
    `${name} must be a text of 1 to ${SEARCH_LENGTH_MAX} characters, not ${describe(value)}.`,
    pointer,
  );
}
