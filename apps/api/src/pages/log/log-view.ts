import type { LogIndex, LogSection } from '@proctor/result-files';
import { lastAtMost } from '@proctor/result-files';
import type { LogLine } from '../../logs/line-reader';
import { LINE_BYTES_MAX } from '../../logs/line-reader';
import { markup } from '../layout/html';
import type { Html } from '../layout/html';
import { secondsInWords } from '../layout/times';
import { LineHtml, SHOWN_LENGTH_MAX, searchPattern } from './line-html';

/** Lines in one block. A browser lays out a block when it becomes visible. */
const BLOCK_LINES = 100;
/** This many lines before the line at which a page opens are laid out at once, so that the browser finds its place. */
const SHOWN_BEFORE = 200;

/** The text for which a log was searched, and the lines with it. */
interface SearchHits {
  text: string;
  lines: readonly number[];
}

/** A section of a log, for its page. */
export interface SectionView {
  /** The id of its HTML element. */
  id: string;
  /** The text of its heading. */
  title: string;
  status: string;
  firstLine: number;
  lines: number;
  marks: number;
  /** How long it took, in words; empty when that is unknown or less than a second. */
  took: string;
  isOpen: boolean;
  /** The address of the section: on this page, or on another page of the log. */
  url: string;
  /** Null when the lines are not on this page. */
  blocks: Html[] | null;
}

const TITLES: Record<LogSection['kind'], (name: string) => string> = {
  start: () => 'Start',
  setup: (name) => (name === '' ? 'Set-up' : name),
  preparation: (name) => `${name}: preparation`,
  test: (name) => name,
  summary: () => 'Summary',
};

/** The line to open when the run has no excerpt: the first error of the first failed test; null when there is none. */
export function firstError({ marks, sections }: LogIndex, hasFailed: boolean): number | null {
  const failedSection = sections.find(({ status }) => status === 'FAIL');
  if (!failedSection) return hasFailed ? (marks[0] ?? null) : null;
  const end = sections[sections.indexOf(failedSection) + 1]?.line ?? Infinity;
  return marks.find((mark) => mark >= failedSection.line && mark < end) ?? failedSection.line;
}

/**
 * All sections of a log. Only sections that overlap with `shownLines` have lines.
 * @param shownLines consecutive lines
 * @param focus the line that must be visible; null for none
 * @param html with the colours after the line before `shownLines`
 * @param hits are marked; null for nothing
 */
export function sectionViews(
  { sections, lines, marks }: Pick<LogIndex, 'sections' | 'lines' | 'marks'>,
  shownLines: LogLine[],
  focus: number | null,
  logUrl: string,
  html = new LineHtml(),
  hits: SearchHits | null = null,
): SectionView[] {
  const whole =
    sections.length > 0
      ? sections
      : [{ kind: 'start', name: '', line: 1, status: null, seconds: null } as const];
  const [first, last] = [shownLines[0]?.number ?? 0, shownLines.at(-1)?.number ?? -1];
  const look = lookOf(marks, hits, logUrl, '', focus);
  const hasFailed = whole.some(({ status }) => status === 'FAIL');
  return whole.map(({ kind, name, status, line, seconds }, place) => {
    const end = Math.min(whole[place + 1]?.line ?? Infinity, lines + 1);
    const isHere = line <= last && end > first;
    const own = isHere ? shownLines.slice(Math.max(0, line - first), Math.max(0, end - first)) : [];
    const hasFocus = focus !== null && focus >= line && focus < end;
    const isOpen =
      whole.length === 1 ||
      status === 'FAIL' ||
      hasFocus ||
      (focus === null && !hasFailed && kind === 'summary');
    return {
      id: `part-${line}`,
      title: TITLES[kind](name),
      status: status ?? '',
      firstLine: line,
      lines: end - line,
      marks: lastAtMost(marks, Number, end - 1) - lastAtMost(marks, Number, line - 1),
      took: seconds === null || seconds < 1 ? '' : secondsInWords(seconds),
      isOpen,
      url: isHere ? `#L${Math.max(line, first)}` : `${logUrl}from=${line}#L${line}`,
      blocks: isHere ? blocksOf(own, html, look) : null,
    };
  });
}

/** What is marked in the lines, and the address of the log. */
interface LinesLook {
  errors: ReadonlySet<number>;
  hits: ReadonlySet<number>;
  pattern: RegExp | null;
  logUrl: string;
  /** The address of the page with the lines; empty on that page. */
  pageUrl: string;
  /** The line at which the page opens; null for none. */
  focus: number | null;
}

function lookOf(
  errors: number[],
  hits: SearchHits | null,
  logUrl: string,
  pageUrl: string,
  focus: number | null,
): LinesLook {
  const pattern = hits && searchPattern(hits.text);
  return { errors: new Set(errors), hits: new Set(hits?.lines), pattern, logUrl, pageUrl, focus };
}

/**
 * The last lines of a log for another page: their numbers lead to the log.
 * @param errors the numbers of lines with errors
 */
export function tailHtml(lines: LogLine[], errors: number[], logUrl: string, pageUrl: string): Html {
  const [html, look] = [new LineHtml(), lookOf(errors, null, logUrl, pageUrl, null)];
  return markup`${lines.map((line) => lineHtml(line, html, look))}`;
}

/** Lines as HTML, in blocks. */
function blocksOf(lines: LogLine[], html: LineHtml, look: LinesLook): Html[] {
  const blocks: Html[] = [];
  for (let at = 0; at < lines.length; at += BLOCK_LINES) {
    const part = lines.slice(at, at + BLOCK_LINES);
    const isShown = look.focus !== null && isAround(part, look.focus - SHOWN_BEFORE, look.focus);
    const content = part.map((line) => lineHtml(line, html, look));
    blocks.push(markup`<pre class="lines${isShown ? ' shown' : ''}">${content}</pre>`);
  }
  return blocks;
}

/** Whether some of these consecutive lines have numbers from `first` to `last`. */
function isAround(lines: LogLine[], first: number, last: number): boolean {
  return lines[0]!.number <= last && lines.at(-1)!.number >= first;
}

function lineHtml(
  { number, text, bytes }: LogLine,
  html: LineHtml,
  { errors, hits, pattern, logUrl, pageUrl }: LinesLook,
): Html {
  const isHit = hits.has(number);
  const lineText = html.of(text, isHit ? pattern : null);
  const isCut = text.length > SHOWN_LENGTH_MAX || bytes > LINE_BYTES_MAX;
  const rest = isCut
    ? markup` <a class="rest" href="${rawUrl(logUrl)}line=${number}">show all ${bytes} bytes</a>`
    : null;
  const content = errors.has(number) ? markup`<mark>${lineText}</mark>` : lineText;
  const className = isHit ? markup` class="found"` : null;
  return markup`<a id="L${number}" href="${pageUrl}#L${number}" tabindex="-1"${className}>${number}</a>${content}${rest}\n`;
}

/** The address of the log as text. @param logUrl ends in `?` or `&`, ready for a parameter */
export function rawUrl(logUrl: string): string {
  return logUrl.replace(/log\?/, 'raw?');
}
