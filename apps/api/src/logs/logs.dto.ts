import { describe, Strict } from '@proctor/contracts';
import { Field, OptionalField, text, whole } from '@proctor/resources';
import { badRequestAt } from '../http/problem';
import { wholeNumber } from '../http/parameter-values';
import { From } from '../http/shape';
import type { Parameter } from '../http/parameters';
import { SEARCH_LENGTH_MAX } from './log-search';

/** The greatest number of an attempt, a byte or a line in a request. */
export const COUNT_MAX = 10 ** 15 - 1;

const ATTEMPT = whole({ minimum: 1 });
const ATTEMPT_TEXT = 'Which attempt; the latest when it is left out.';

/** The query of a run's log. */
export class LogQuery {
  @OptionalField(ATTEMPT, ATTEMPT_TEXT)
  @From({ read: wholeNumber(1, COUNT_MAX) })
  attempt?: number;

  @OptionalField(whole({ minimum: 0, default: 0 }), 'Bytes of the log that the client has.')
  @From({ read: wholeNumber(0, COUNT_MAX) })
  offset?: number;
}

/** The attempt of a run. */
@Strict()
export class AttemptQuery {
  @OptionalField(ATTEMPT, ATTEMPT_TEXT)
  @From({ read: wholeNumber(1, COUNT_MAX) })
  attempt?: number;
}

/** The query of a search in a run's log. */
@Strict()
export class LogSearchQuery extends AttemptQuery {
  @Field(
    text({ minLength: 1, maxLength: SEARCH_LENGTH_MAX, example: 'segmentation fault' }),
    'The text; ASCII letters are the same in upper and lower case.',
  )
  @From({ read: wantedOf, missing: 'it holds the text that is searched for' })
  q: string;

  @OptionalField(whole({ minimum: 1, default: 1 }), 'The first line that counts.')
  @From({ read: wholeNumber(1, COUNT_MAX) })
  from?: number;
}

function wantedOf({ value, pointer }: Parameter, name: string): string {
  if (typeof value === 'string' && value !== '' && value.length <= SEARCH_LENGTH_MAX) return value;
  throw badRequestAt(
    `${name} must be a text of 1 to ${SEARCH_LENGTH_MAX} characters, not ${describe(value)}.`,
    pointer,
  );
}
