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

/** The addresses of the nearest parts before and after the lines of this page; null when there is none. */
export function partsBeyond({ sections }: LogIndex, { first, last }: ShownPart, logUrl: string) {
  const { previousUrl, nextUrl } = nearestUrls(
    sections.map(({ line }) => line),
    { first, last },
    logUrl,
  );
  return { previousPart: previousUrl, nextPart: nextUrl };
}

/** Links from one line to the next, for example from error to error. */
interface LineSteps {
  /** The name of one of them. */
  name: 'error' | 'hit';
  total: number;
  /** The number of these lines before this page. */
  before: number;
  /** The number of the line at which the page opens, from 1; null when it is none of them. */
  number: number | null;
  previousUrl: string | null;
  nextUrl: string | null;
  /** The nearest ones that are on other pages. */
  beyond: { previousUrl: string | null; nextUrl: string | null };
}

/**
 * The links from line to line.
 * @param all `lines` may be the first of them, `total` counts all
 * @param focus the line at which the page opens; null for none
 */
export function lineSteps(
  all: { name: LineSteps['name']; lines: readonly number[]; total: number },
  focus: number | null,
  { first, last }: ShownPart,
  logUrl: string,
): LineSteps {
  const { lines, ...nameAndTotal } = all;
  const at = focus ?? 0;
  return {
    ...nameAndTotal,
    before: lines.filter((line) => line < first).length,
    number: lines.includes(at) ? lines.indexOf(at) + 1 : null,
    ...nearestUrls(lines, { first: at, last: at }, logUrl),
    beyond: nearestUrls(lines, { first, last }, logUrl),
  };
}

/** The addresses of the nearest of these lines before and after a part; null when there is none. */
function nearestUrls(lines: readonly number[], { first, last }: ShownPart, logUrl: string) {
  const before = lines.findLast((line) => line < first);
  const after = lines.find((line) => line > last);
  return {
    previousUrl: before === undefined ? null : pageAt(before, logUrl),
    nextUrl: after === undefined ? null : pageAt(after, logUrl),
  };
}
