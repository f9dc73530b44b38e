import { LogIndexer } from '@proctor/result-files';
import { LineReader } from '../../logs/line-reader';
import type { LogLine } from '../../logs/line-reader';
import { LineHtml } from './line-html';
import { sectionViews } from './log-view';
import type { SectionView } from './log-view';

/** A place in a live log at which a line begins. */
export interface LogPlace {
  /** Bytes of the log before it. */
  offset: number;
  /** The number of the line; 1 is the first that is known. */
  line: number;
}

/** What the page of a live log is to add. */
export interface AddedLines {
  /** The number of the first: what the page has of it, the line that had not ended, is replaced. */
  from: number;
  /** All of the log; those with something to add have it in their blocks, if only their heading. */
  sections: SectionView[];
  /** The number of the last. */
  lines: number;
  /** Where the next ones begin. */
  next: LogPlace;
}

/** Makes of the bytes of a live log, from its first one on, what its page adds to the lines that it has. */
export class LiveLines {
  private readonly reader = new LineReader(1, 1);
  private readonly indexer: LogIndexer;
  private readonly html = new LineHtml();
  /** Where the line that has not ended begins. */
  private readonly open: LogPlace = { offset: 0, line: 1 };
  private expected = 0;
  /** Bytes within the line that has not ended that are forgotten. */
  private missing = 0;
  private waiting: LogLine[] = [];
  /** Bytes of the line that has not ended which the page has got. */
  private sentBytes = 0;
  private isBegun = false;
  /** Marks that this connection has sent, by the ids of their sections. */
  private marks = new Map<string, string>();

  /** @param start the page has what comes before it */
  constructor(
    private readonly start: LogPlace,
    errors: RegExp,
    private readonly logUrl: string,
  ) {
    this.indexer = new LogIndexer(errors);
    this.markBegun();
  }

  /**
   * Whether the page's numbers are those of the lines: bytes may have been forgotten since it was made. Known when as many bytes were
   * added as the page has.
   */
  get isStale(): boolean {
    const isPast = this.open.offset > this.start.offset;
    return (
      !this.isBegun &&
      (isPast || (this.open.offset === this.start.offset && this.open.line !== this.start.line))
    );
  }

  /** @returns how many bytes before these are forgotten, of those that the page does not have */
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

  /** What has come since it was asked last; null: nothing. */
  newLines(): AddedLines | null {
    const open = this.isBegun ? this.reader.open : null;
    if (this.waiting.length === 0 && (open?.bytes ?? 0) === this.sentBytes) return null;
    const whole = this.waiting;
    this.waiting = [];
    this.sentBytes = open?.bytes ?? 0;
    const shown = open ? [...whole, open] : whole;
    const index = this.indexer.currentIndex();
    const lines = index.lines + (open ? 1 : 0);
    // The line that has not ended may still change its colours.
    const sections = sectionViews({ ...index, lines }, shown, null, this.logUrl, this.html.copy());
    for (const { text } of whole) this.html.pass(text);
    const from = shown[0]!.number;
    // The line that had not ended may turn out to begin the next section: then it is no longer counted in this one.
    const before = sections.findLast(({ firstLine }) => firstLine < from);
    if (before) before.blocks ??= [];
    // The summary may give another mark to a section that has ended.
    for (const section of sections) if (this.marks.get(section.id) !== section.status) section.blocks ??= [];
    this.marks = new Map(sections.map(({ id, status }) => [id, status]));
    return { from, sections, lines, next: { ...this.open } };
  }

  private markBegun(): void {
    const { offset, line } = this.open;
    this.isBegun ||= offset === this.start.offset && line === this.start.line;
  }
}
