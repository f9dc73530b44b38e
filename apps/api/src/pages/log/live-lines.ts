import { LogIndexer } from '@proctor/result-files';
import { LineReader } from '../../logs/line-reader';
import type { LogLine } from '../../logs/line-reader';
import type { LogSoFar } from '../../logs/log-so-far';
import { LineHtml } from './line-html';
import { sectionViews } from './log-view';
import type { SectionView } from './log-view';

/** The beginning of a line in a live log. */
export interface LogPlace {
  /** Bytes of the log before the line. */
  offset: number;
  /** The number of the line; 1 is the first line that the api still has. */
  line: number;
}

/** The place at which a live log continues. A last line without a newline is sent again when it is longer. */
export function nextPlace({ openAt, missing, log }: LogSoFar): LogPlace {
  const { bytes, lines } = log.index;
  const isOpen = bytes > 0 && openAt < bytes + missing;
  return { offset: openAt, line: isOpen ? lines : lines + 1 };
}

/** New lines for the page of a live log. */
export interface AddedLines {
  /** The number of the first line. If the page already has a part of this line, the line replaces it. */
  from: number;
  /** All sections of the log. Only sections with changes have blocks; the blocks are empty when only the heading changed. */
  sections: SectionView[];
  /** The number of the last line. */
  lines: number;
  /** The beginning of the next line to send. */
  next: LogPlace;
}

/** Converts the bytes of a live log, from the first one, to the lines that its page must add. */
export class LiveLines {
  private readonly reader = new LineReader(1, 1);
  private readonly indexer: LogIndexer;
  private readonly html = new LineHtml();
  /** The beginning of the last line, which has no newline yet. */
  private readonly open: LogPlace = { offset: 0, line: 1 };
  private expected = 0;
  /** Bytes of the last line that are no longer available. */
  private missing = 0;
  private waiting: LogLine[] = [];
  /** Bytes of the last line that were sent to the page. */
  private sentBytes = 0;
  private isBegun = false;
  /** The statuses that this connection has sent, by id of section. */
  private marks = new Map<string, string>();

  /** @param start the page already has all lines before it */
  constructor(
    private readonly start: LogPlace,
    errors: RegExp,
    private readonly logUrl: string,
  ) {
    this.indexer = new LogIndexer(errors);
    this.markBegun();
  }

  /**
   * Whether the line numbers on the page are out of date, because old bytes of the log were removed after the page was made.
   * It is only known after all bytes that the page has were added.
   */
  get isStale(): boolean {
    const isPast = this.open.offset > this.start.offset;
    return (
      !this.isBegun &&
      (isPast || (this.open.offset === this.start.offset && this.open.line !== this.start.line))
    );
  }

  /** Adds bytes. @returns the number of bytes before them that are lost and that the page does not have */
  add(offset: number, data: Buffer): number {
    const forgotten = Math.max(0, offset - Math.max(this.expected, this.start.offset));
    this.missing += offset - this.expected;
    if (offset !== this.expected) this.indexer.skip();
    this.expected = offset + data.length;
    this.markBegun();
    this.reader.add(data);
    this.indexer.add(data);
    for (const line of this.reader.newLines()) {
      if (this.isBegun) this.waiting.push(line);
      else this.html.pass(line.text);
      this.open.offset += line.bytes + 1 + this.missing;
      this.open.line += 1;
      this.missing = 0;
      this.markBegun();
    }
    return forgotten;
  }

  /** The lines that are new since the last call; null when there are none. */
  newLines(): AddedLines | null {
    const open = this.isBegun ? this.reader.open : null;
    if (this.waiting.length === 0 && (open?.bytes ?? 0) === this.sentBytes) return null;
    const whole = this.waiting;
    this.waiting = [];
    this.sentBytes = open?.bytes ?? 0;
    const shownLines = open ? [...whole, open] : whole;
    const index = this.indexer.currentIndex();
    const lines = index.lines + (open ? 1 : 0);
    // A copy, because the colours of the last line may still change.
    const sections = sectionViews({ ...index, lines }, shownLines, null, this.logUrl, this.html.copy());
    for (const { text } of whole) this.html.pass(text);
    const from = shownLines[0]!.number;
    // The last line may begin a new section when it is complete; then the section before it has one line less.
    const before = sections.findLast(({ firstLine }) => firstLine < from);
    if (before) before.blocks ??= [];
    // The summary of the log may change the status of an earlier section.
    for (const section of sections) if (this.marks.get(section.id) !== section.status) section.blocks ??= [];
    this.marks = new Map(sections.map(({ id, status }) => [id, status]));
    return { from, sections, lines, next: { ...this.open } };
  }

  private markBegun(): void {
    const { offset, line } = this.open;
    this.isBegun ||= offset === this.start.offset && line === this.start.line;
  }
}
