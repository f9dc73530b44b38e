import { Injectable } from '@nestjs/common';
import type { PipeTransform } from '@nestjs/common';
import { fromQuery, oneOf, text, wholeNumber } from '../../http/parameter-values';
import { SEARCH_LENGTH_MAX } from '../../logs/log-search';
import { COUNT_MAX } from '../../logs/logs.dto';
import type { LogAsked } from './log-page.service';

export interface LogQueryAsked extends LogAsked {
  /** The one line that is wanted of the log as text; the number of the line that begins at `offset`. */
  line: number | null;
  offset: number;
  /** A file is wanted as text in the browser. */
  isShown: boolean;
}

/** The parameters `attempt`, `from`, `q`, `line`, `offset` and `text` of a log or an artifact. */
@Injectable()
export class LogAskedPipe implements PipeTransform<Record<string, unknown>, LogQueryAsked> {
  /** @throws Problem 400 */
  transform(query: Record<string, unknown>): LogQueryAsked {
    return {
      attempt: fromQuery('attempt', query['attempt'], wholeNumber(1, COUNT_MAX)),
      from: fromQuery('from', query['from'], wholeNumber(1, COUNT_MAX)),
      line: fromQuery('line', query['line'], wholeNumber(1, COUNT_MAX)),
      offset: fromQuery('offset', query['offset'], wholeNumber(0, COUNT_MAX)) ?? 0,
      isShown: fromQuery('text', query['text'], oneOf(['yes'])) === 'yes',
      q: fromQuery('q', query['q'], text(SEARCH_LENGTH_MAX)) ?? '',
    };
  }
}
