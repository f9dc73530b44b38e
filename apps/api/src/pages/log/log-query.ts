import { queryValue, oneOf, queryOf, text, wholeNumber } from '../../http/parameter-values';
import { SEARCH_LENGTH_MAX } from '../../logs/log-search';
import { COUNT_MAX } from '../../logs/logs.dto';

/** The query of a log or an artifact. */
export const LOG_QUERY = queryOf({
  /** Null for the latest attempt. */
  attempt: queryValue(wholeNumber(1, COUNT_MAX)),
  /** A line that must be visible. */
  from: queryValue(wholeNumber(1, COUNT_MAX)),
  /** The only line to send of a log as text; of a live log the number of the line at `offset`. */
  line: queryValue(wholeNumber(1, COUNT_MAX)),
  offset: queryValue(wholeNumber(0, COUNT_MAX), 0),
  /** With `yes` the browser shows a file as text. */
  text: queryValue(oneOf(['yes'])),
  /** The line at which a search begins. */
  start: queryValue(wholeNumber(1, COUNT_MAX), 1),
  /** A text to search for. */
  q: queryValue(text(SEARCH_LENGTH_MAX), ''),
});

export type LogPageQuery = ReturnType<typeof LOG_QUERY.transform>;
