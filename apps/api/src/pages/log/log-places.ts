import type { RunRecord } from '@proctor/database';
import type { LogIndex } from '@proctor/result-files';
import type { LogLine } from '../../logs/line-reader';
import { logPath } from '../../runs/page-paths';

/** Lines of a log that a page shows: they follow each other. */
export interface ShownPart {
  first: number;
  last: number;
}

/** @param lines none: the page shows no part */
export function partOf(lines: readonly LogLine[]): ShownPart {
  return { first: lines[0]?.number ?? Infinity, last: lines.at(-1)?.number ?? 0 };
}

/** The address of the page of a log, which ends in `?` or `&`, ready for a parameter. @param attempt null: the latest */
export function openLogUrl(run: RunRecord, attempt: number | null): string {
  return `${logPath(run, attempt)}${attempt === null ? '?' : '&'}`;
}

/** The address of a page of the log that shows the line. @param logUrl ends in `?` or `&`, ready for a parameter */
export function pageAt(line: number, logUrl: string): string {
  return `${logUrl}from=${line}#L${line}`;
}

/** The same, or the line's place on this page. */
export function lineUrl(line: number, { first, last }: ShownPart, logUrl: string): string {
  return line >= first && line <= last ? `#L${line}` : pageAt(line, logUrl);
}

/** Where errors and parts are that the page does not show, next to what it shows: addresses, null where there are none. */
export function beyond({ marks, sections }: LogIndex, { first, last }: ShownPart, logUrl: string) {
  const heads = sections.map(({ line }) => line);
  const [before, after] = [(line: number) => line < first, (line: number) => line > last];
  return {
    previousError: urlOf(marks.findLast(before), logUrl),
    nextError: urlOf(marks.find(after), logUrl),
    previousPart: urlOf(heads.findLast(before), logUrl),
    nextPart: urlOf(heads.find(after), logUrl),
  };
}

/**
 * The way from error to error.
 * @param focus the line that was asked for; null: none
 */
export function errorSteps({ marks, marksTotal }: LogIndex, focus: number | null, logUrl: string) {
  const at = focus ?? 0;
  return {
    total: marksTotal,
    /** How many of the first are known by their lines; null: all are. */
    keptMarks: marksTotal > marks.length ? marks.length : null,
    /** Which one the focus is; null: it is none. */
    number: marks.includes(at) ? marks.indexOf(at) + 1 : null,
    previousUrl: urlOf(
      marks.findLast((mark) => mark < at),
      logUrl,
    ),
    nextUrl: urlOf(
      marks.find((mark) => mark > at),
      logUrl,
    ),
  };
}

function urlOf(line: number | undefined, logUrl: string): string | null {
  return line === undefined ? null : pageAt(line, logUrl);
}
