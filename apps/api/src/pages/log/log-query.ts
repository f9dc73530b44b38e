import { queryValue, oneOf, queryOf, text, wholeNumber } from '../../http/parameter-values';
import { SEARCH_LENGTH_MAX } from '../../logs/log-search';
import { COUNT_MAX } from '../../logs/logs.dto';

/** The query of a log or an artifact. */
export const LOG_QUERY = queryOf({
  /** Null: the latest. */
  attempt: queryValue(wholeNumber(1, COUNT_MAX)),
  /** A line that must be seen. */
  from: queryValue(wholeNumber(1, COUNT_MAX)),
  /** The one line that the log as text has; the number of the line that begins at `offset`. */
  line: queryValue(wholeNumber(1, COUNT_MAX)),
  offset: queryValue(wholeNumber(0, COUNT_MAX), 0),
  /** `yes`: a file is text in the browser. */
  text: queryValue(oneOf(['yes'])),
  /** A text to search for. */
  q: queryValue(text(SEARCH_LENGTH_MAX), ''),
});

export type LogPageQuery = ReturnType<typeof LOG_QUERY.transform>;
