import { Injectable } from '@nestjs/common';
import type { AttemptRecord, RunRecord } from '@proctor/database';
import type { IndexedLog } from '../../logs/indexed-log';
import { HITS_MAX, type LogSearch } from '../../logs/log-search';
import type { LogSoFar } from '../../logs/log-so-far';
import { RunLogs, withMark } from '../../logs/run-logs';
import { artifactsPath, logPath, runPath } from '../../runs/page-paths';
import { afterwards, endSentence } from './attempt-end';
import { LineHtml, searchPattern } from './line-html';
import { nextPlace } from './live-lines';
import { logMap } from './log-map';
import { lineSteps, lineUrl, openLogUrl, pageAt, partOf, partsBeyond } from './log-places';
import type { ShownPart } from './log-places';
import { firstError, rawUrl, sectionViews } from './log-view';

/** A log up to this size is on one page. */
const WHOLE = { lines: 10_000, bytes: 1024 * 1024 };
/** The size of a page of a larger log. */
const PART = { lines: 2_000, bytes: 512 * 1024 };
/** Lines on such a page before the requested line. */
const BEFORE = 100;

/** The query parameters of a log page. */
interface LogSelection {
  /** Null for the latest attempt. */
  attempt: number | null;
  /** The requested line; null for none. */
  from: number | null;
  /** The text to search for; empty for none. */
  q: string;
  /** The line at which the search begins. */
  start: number;
}

/** The part of a log that is shown when no line is requested. */
interface Opening {
  isLive: boolean;
  /** The line of the most relevant error; null when there is none. */
  error: number | null;
  /** The line that must be visible; null for none. */
  focus: number | null;
  /** The first line of the page. */
  first: number;
}

/** Loads the data of a log page. */
@Injectable()
export class LogPageService {
  constructor(private readonly logs: RunLogs) {}

  /** @throws Problem 404 when the run has no such attempt */
  async view(run: RunRecord, selection: LogSelection) {
    const attempts = await this.logs.attempts(run.runId);
    const attempt = await this.logs.attempt(run.runId, selection.attempt);
    const logUrl = openLogUrl(run, selection.attempt);
    const stored = await this.logs.findStored(run.runId, attempt);
    const live = stored ? null : await this.logs.liveLog(run.runId, attempt, PART);
    const log = stored ?? live!.log;
    const error = stored && (await this.logs.errorLine(run, attempt.attempt));
    const part = await this.part(log, opening(log, live, attempt, error), selection, logUrl);
    const after = afterwards(run, attempt);
    return {
      run,
      runUrl: runPath(run),
      logUrl,
      ownUrl: logPath(run, attempt.attempt),
      searchUrl: logPath(run),
      artifactsUrl: artifactsPath(run),
      rawUrl: rawUrl(logUrl).replace(/[?&]$/, ''),
      attempt: attempt.attempt,
      asked: selection,
      attempts: attempts.map((each) => ({
        number: each.attempt,
        isHere: each.attempt === attempt.attempt,
        url: logPath(run, each.attempt),
        how: howOf(each),
      })),
      how: howOf(attempt),
      end: endSentence(attempt),
      after: { ...after, url: after.attempt === null ? null : logPath(run, after.attempt) },
      // Of a run that is executed again the page says so.
      follow: after.isWaiting && attempt.outcome !== null ? `run/${run.runId}` : '',
      ...part,
      live: live && liveView(live, attempt, part.shown, run),
    };
  }

  private async part(
    log: IndexedLog,
    { isLive, error, focus, first }: Opening,
    selection: LogSelection,
    logUrl: string,
  ) {
    const index = withMark(log.index, error);
    const focusLine = selection.from ?? focus;
    const isWhole = index.bytes <= WHOLE.bytes && index.lines <= WHOLE.lines;
    const from = isWhole ? 1 : selection.from === null ? first : Math.max(1, selection.from - BEFORE);
    const lines = index.lines === 0 ? [] : await log.lines(from, isWhole ? WHOLE : PART);
    const { q, start } = selection;
    const search = q === '' ? null : await log.search(q, start, HITS_MAX);
    const searchHits = search && { text: q, lines: search.hits.map(({ line }) => line) };
    const shownPart = partOf(lines);
    // Who searches begins with the list of hits.
    const opensAt = search || isLive ? selection.from : focusLine;
    const searchUrl = `${logUrl}q=${encodeURIComponent(q)}&${start === 1 ? '' : `start=${start}&`}`;
    return {
      lines: index.lines,
      shown: shownPart,
      sections:
        index.lines === 0 ? [] : sectionViews(index, lines, focusLine, logUrl, new LineHtml(), searchHits),
      errors: { total: index.marksTotal, kept: index.marks.length },
      steps: [
        lineSteps({ name: 'error', lines: index.marks, total: index.marksTotal }, opensAt, shownPart, logUrl),
        ...(searchHits
          ? [
              lineSteps(
                { name: 'hit', ...searchHits, total: searchHits.lines.length },
                opensAt,
                shownPart,
                searchUrl,
              ),
            ]
          : []),
      ],
      error,
      errorUrl: error === null ? null : lineUrl(error, shownPart, logUrl),
      isWhole,
      beyond: partsBeyond(index, shownPart, logUrl),
      ...(isWhole ? { earlierUrl: null, laterUrl: null } : neighbours(shownPart, index.lines, logUrl)),
      found: search && foundView(search, shownPart, searchUrl, searchPattern(q)),
      // Of a log that grows it would be another one with each line.
      map: isLive ? null : logMap(index, shownPart, logUrl),
      focus: opensAt,
    };
  }
}

/**
 * A stored log is opened at its first error, a live log at its end.
 * @param line that of the error in the excerpt of the run
 */
function opening(
  { index }: IndexedLog,
  live: LogSoFar | null,
  { verdict }: AttemptRecord,
  line: number | null,
): Opening {
  if (live) return { isLive: true, error: firstError(index, false), focus: index.lines, first: live.tail };
  const isInLog = line !== null && line >= 1 && line <= index.lines;
  const error = isInLog ? line : firstError(index, verdict === 'fail' || verdict === 'tmpfail');
  return { isLive: false, error, focus: error, first: Math.max(1, (error ?? 1) - BEFORE) };
}

function howOf({ verdict, outcome }: AttemptRecord): string {
  return verdict ?? outcome ?? 'running';
}

function liveView(live: LogSoFar, attempt: AttemptRecord, part: ShownPart, run: RunRecord) {
  const { missing, note, isReached, log } = live;
  const isOver = attempt.outcome !== null;
  return {
    isOver,
    isReached,
    missing,
    note,
    eventsUrl: `${logPath(run)}/events?attempt=${attempt.attempt}`,
    /** New lines are only added to a page that shows the end of the log. */
    isFollowed: !isOver && part.last >= log.index.lines,
    ...nextPlace(live),
  };
}

function neighbours({ first, last }: ShownPart, total: number, logUrl: string) {
  const isAny = last > 0;
  return {
    earlierUrl: isAny && first > 1 ? pageAt(Math.max(1, first - PART.lines + BEFORE), logUrl) : null,
    laterUrl: isAny && last < total ? pageAt(last + 1, logUrl) : null,
  };
}

function foundView({ hits, cutAt }: LogSearch, part: ShownPart, searchUrl: string, pattern: RegExp) {
  return {
    hits: hits.map(({ line, text }) => ({
      line,
      text: new LineHtml().of(text.trim(), pattern),
      url: lineUrl(line, part, searchUrl),
    })),
    cutAt,
  };
}
