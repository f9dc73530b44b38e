import { Injectable } from '@nestjs/common';
import type { AttemptRecord, RunRecord } from '@proctor/database';
import { packagePrefix } from '@proctor/contracts';
import { ERROR_PATTERNS, errorExpression, LogIndexer } from '@proctor/result-files';
import { LineReader } from '../../logs/line-reader';
import type { LogLine } from '../../logs/line-reader';
import type { LogSearch } from '../../logs/log-search';
import { RunLogs } from '../../logs/run-logs';
import type { StoredLog } from '../../logs/stored-log';
import { LineHtml } from './line-html';
import { firstError, rawUrl, sectionViews } from './log-view';

/** A log that is no longer is on one page. */
const WHOLE = { lines: 40_000, bytes: 2 * 1024 * 1024 };
/** Of a longer one, so much is. */
const PART = { lines: 2_000, bytes: 512 * 1024 };
/** Lines of it before the one that is wanted. */
const BEFORE = 100;
/** Of a live log so much of its end is on the page, for those without a script. */
const LIVE_BYTES_MAX = 256 * 1024;
const SEARCH = { hits: 200, timeoutMs: 2_000 };

/** What a reader of a log asks for. */
export interface LogAsked {
  /** Null: the latest. */
  attempt: number | null;
  /** A line that must be seen; null when none is asked for. */
  from: number | null;
  /** What is searched for; empty: nothing. */
  q: string;
}

/** Gathers what the page of a log shows. */
@Injectable()
export class LogPageService {
  constructor(private readonly logs: RunLogs) {}

  /** @throws Problem 404 without such an attempt */
  async view(run: RunRecord, asked: LogAsked) {
    const attempts = await this.logs.attempts(run.runId);
    const attempt = await this.logs.attempt(run.runId, asked.attempt);
    const runUrl = urlOf(run);
    const logUrl = `${runUrl}log?${asked.attempt === null ? '' : `attempt=${asked.attempt}&`}`;
    const stored = await this.logs.stored(run.runId, attempt);
    const page = {
      run,
      runUrl,
      logUrl,
      rawUrl: rawUrl(logUrl).replace(/[?&]$/, ''),
      attempt: attempt.attempt,
      asked,
      attempts: attempts.map((each) => ({
        number: each.attempt,
        isHere: each.attempt === attempt.attempt,
        url: `${runUrl}log?attempt=${each.attempt}`,
        how: each.verdict ?? each.outcome ?? 'running',
      })),
    };
    return stored
      ? { ...page, ...(await this.storedPart(stored, attempt, asked, logUrl)), live: null }
      : { ...page, ...(await this.livePart(run, attempt, logUrl, runUrl)) };
  }

  private async storedPart(log: StoredLog, attempt: AttemptRecord, asked: LogAsked, logUrl: string) {
    const { index } = log;
    const hasFailed = attempt.verdict === 'fail' || attempt.verdict === 'tmpfail';
    const error = firstError(index, hasFailed);
    const focus = asked.from ?? error;
    const isWhole = index.bytes <= WHOLE.bytes && index.lines <= WHOLE.lines;
    const first = isWhole ? 1 : Math.max(1, (focus ?? 1) - BEFORE);
    const lines = await log.lines(first, isWhole ? WHOLE : PART);
    const found = asked.q === '' ? null : await log.search(asked.q, asked.from ?? 1, SEARCH);
    return {
      lines: index.lines,
      bytes: index.bytes,
      marks: index.marksTotal,
      sections: sectionViews(index, lines, focus, logUrl),
      error,
      errorUrl: error === null ? null : lineUrl(error, lines, logUrl),
      isWhole,
      ...neighbours(lines, index.lines, isWhole, logUrl),
      found: found && foundView(found, lines, logUrl),
    };
  }

  /** What there is of a live log, and where it goes on; without a script the page is asked for again. */
  private async livePart(run: RunRecord, attempt: AttemptRecord, logUrl: string, runUrl: string) {
    let [bytes, offset, isReached]: [Buffer, number, boolean] = [Buffer.alloc(0), 0, true];
    try {
      for await (const piece of this.logs.soFar(run.runId, attempt, 0)) {
        if (piece.isNote) continue;
        bytes = Buffer.concat([bytes, piece.data]).subarray(-LIVE_BYTES_MAX);
        offset = piece.offset + piece.data.length;
      }
    } catch {
      isReached = false;
    }
    const reader = new LineReader(1, 1);
    const indexer = new LogIndexer(errorExpression(ERROR_PATTERNS));
    reader.add(bytes);
    indexer.add(bytes);
    const index = { ...indexer.end(), blocks: [] };
    const shown = reader.end();
    const isOver = attempt.outcome !== null;
    return {
      lines: index.lines,
      bytes: offset,
      marks: index.marksTotal,
      sections: shown.length === 0 ? [] : sectionViews(index, shown, index.lines, logUrl),
      error: null,
      errorUrl: null,
      isWhole: offset === bytes.length,
      earlierUrl: null,
      laterUrl: null,
      found: null,
      live: {
        isOver,
        isReached,
        eventsUrl: `${runUrl}log/events?attempt=${attempt.attempt}`,
        offset,
        isCut: offset > bytes.length,
      },
    };
  }
}

export function urlOf(run: RunRecord): string {
  return `/packages/${packagePrefix(run.package)}/${run.package}/${run.suite}/${run.arch}/${run.runId}/`;
}

function neighbours(lines: LogLine[], total: number, isWhole: boolean, logUrl: string) {
  const [first, last] = [lines[0]?.number ?? 1, lines.at(-1)?.number ?? total];
  const urlAt = (line: number): string => `${logUrl}from=${line}#L${line}`;
  return {
    earlierUrl: isWhole || first <= 1 ? null : urlAt(Math.max(1, first - PART.lines + BEFORE)),
    laterUrl: isWhole || last >= total ? null : urlAt(last + 1),
  };
}

function lineUrl(line: number, shown: LogLine[], logUrl: string): string {
  const isHere = line >= (shown[0]?.number ?? Infinity) && line <= (shown.at(-1)?.number ?? 0);
  return isHere ? `#L${line}` : `${logUrl}from=${line}#L${line}`;
}

function foundView({ hits, cutAt }: LogSearch, shown: LogLine[], logUrl: string) {
  return {
    hits: hits.map(({ line, text }) => ({
      line,
      text: new LineHtml().of(text.trim()),
      url: lineUrl(line, shown, logUrl),
    })),
    cutAt,
  };
}
