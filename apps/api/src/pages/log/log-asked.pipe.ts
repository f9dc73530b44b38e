import { Injectable } from '@nestjs/common';
import type { PipeTransform } from '@nestjs/common';
import { badRequest } from '../../http/problem';
import { SEARCH_LENGTH_MAX } from '../../logs/log-search';
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
    const { q = '' } = query;
    if (typeof q !== 'string' || q.length > SEARCH_LENGTH_MAX)
      throw badRequest(`q must be a text of at most ${SEARCH_LENGTH_MAX} characters.`);
    return {
      attempt: numberOf('attempt', query['attempt'], 1),
      from: numberOf('from', query['from'], 1),
      line: numberOf('line', query['line'], 1),
      offset: numberOf('offset', query['offset'], 0) ?? 0,
      isShown: wantsText(query['text']),
      q,
    };
  }
}

function numberOf(name: string, value: unknown, least: number): number | null {
  if (value === undefined || value === '') return null;
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : NaN;
  if (number >= least) return number;
  throw badRequest(`${name} must be a whole number, ${least} or more.`);
}

function wantsText(value: unknown): boolean {
  if (value === undefined || value === 'yes') return value === 'yes';
  throw badRequest('text must be yes.');
}
