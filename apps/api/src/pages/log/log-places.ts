import type { RunRecord } from '@proctor/database';
import type { LogIndex } from '@proctor/result-files';
import type { LogLine } from '../../logs/line-reader';
import { logPath } from '../../runs/page-paths';

/** The consecutive lines of a log that a page shows. */
export interface ShownPart {
  first: number;
  last: number;
}

/** The range of the lines. @param lines empty when the page shows none */
export function partOf(lines: readonly LogLine[]): ShownPart {
  return { first: lines[0]?.number ?? Infinity, last: lines.at(-1)?.number ?? 0 };
}

/** The address of a log, ending in `?` or `&`, ready for a parameter. @param attempt null for the latest */
export function openLogUrl(run: RunRecord, attempt: number | null): string {
  return `${logPath(run, attempt)}${attempt === null ? '?' : '&'}`;
}

/** The address of a page of the log that shows the line. @param logUrl ends in `?` or `&`, ready for a parameter */
export function pageAt(line: number, logUrl: string): string {
  return `${logUrl}from=${line}#L${line}`;
}

/** The address of a line: on this page if it is shown here, else like `pageAt`. */
export function lineUrl(line: number, { first, last }: ShownPart, logUrl: string): string {
  return line >= first && line <= last ? `#L${line}` : pageAt(line, logUrl);
}

/** The addresses of the nearest errors and sections before and after the lines of this page; null when there is none. */
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
 * The links from error to error.
 * @param focus the requested line; null for none
 */
export function errorSteps({ marks, marksTotal }: LogIndex, focus: number | null, logUrl: string) {
  const at = focus ?? 0;
  return {
    total: marksTotal,
    /** The number of errors whose lines are stored (the first ones); null when all are. */
    keptMarks: marksTotal > marks.length ? marks.length : null,
    /** The number of the error at `focus`, from 1; null when there is none. */
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
