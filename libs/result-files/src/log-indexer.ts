import { EXCERPT_LINES_MAX, oneLine, type ErrorExcerpt, type TestStatus } from '@proctor/contracts';
import { stripVTControlCharacters } from 'node:util';
import type { GzipBlock } from './block-gzip';
import { SEARCHED_LENGTH_MAX } from './error-patterns';
import { excerptLine } from './excerpt-line';
import { INSTALLED_MAX, MARKS_MAX, SECTION_NAME_LENGTH_MAX, SECTIONS_MAX } from './log-index';
import {
  fallbackRelease,
  fetchedPackage,
  installedPackage,
  ownLine,
  statusLine,
  type OwnLine,
} from './own-lines';
import type { LogBlock, LoggedPackage, LogIndex, LogSection } from './log-index';

const NEWLINE = 10;
/** Lines of an excerpt before the error, and after it. */
const BEFORE = 2;
/** Bytes of a line that are looked at; a character has four at most. */
const LINE_BYTES_MAX = SEARCHED_LENGTH_MAX * 4;

const DAY_SECONDS = 86_400;

/** What an excerpt is made of. */
interface FoundError {
  errorLine: number;
  firstLine: number;
  lines: string[];
}

interface OpenSection extends LogSection {
  /** The runner's clock. */
  clock: number;
  /** Its first error. */
  error: FoundError | null;
  /** Its last lines before the runner's own. */
  end: FoundError;
}

/** Reads a log once, piece by piece, and learns where in it what stands. Memory does not grow with the log. */
export class LogIndexer {
  private bytes = 0;
  private newlines = 0;
  private line: Buffer[] = [];
  private lineBytes = 0;
  private isInLine = false;
  private readonly blocks: LogBlock[] = [];
  private readonly sections: OpenSection[] = [];
  private readonly marks: number[] = [];
  private marksTotal = 0;
  /** The last lines, for what comes before an error. */
  private readonly recent: string[] = [];
  /** Errors whose following lines have not come yet. */
  private unfilled: FoundError | null = null;
  /** By name: those that apt has fetched, and dpkg has not set up yet. */
  private readonly fetched = new Map<string, { version: string; suite: string }>();
  private readonly installed = new Map<string, LoggedPackage>();
  private fallback: LogIndex['fallback'] = null;
  /** The test whose result is told by the next line. */
  private resultOf: OpenSection | null = null;

  /** @param errors what a line with an error looks like, see errorExpression */
  constructor(private readonly errors: RegExp) {}

  /** The log goes on with these bytes. @param block where reading may begin with the first of them */
  add(chunk: Buffer, block: GzipBlock | null = null): void {
    if (block) this.blocks.push({ ...block, newlines: this.newlines });
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      this.keep(chunk.subarray(from, end));
      this.endLine();
      this.newlines += 1;
      from = end + 1;
    }
    this.keep(chunk.subarray(from));
    this.bytes += chunk.length;
  }

  /** What is known of a log that goes on, by its whole lines. */
  soFar(): Pick<LogIndex, 'sections' | 'lines' | 'marks'> {
    return { sections: this.toldSections(), lines: this.newlines, marks: this.marks };
  }

  /** The log is complete. */
  end(): LogIndex {
    const lines = this.newlines + (this.isInLine ? 1 : 0);
    if (this.isInLine) this.endLine();
    return {
      version: 1,
      bytes: this.bytes,
      lines,
      blocks: this.blocks,
      sections: this.toldSections(),
      marks: this.marks,
      marksTotal: this.marksTotal,
      installed: [...this.installed.values()],
      fallback: this.fallback,
    };
  }

  /**
   * The lines around the first error of a failed run: that of the first test that failed, where the log tells, else the end
   * of its output, else the first of all. Null when the log tells of none.
   */
  excerpt(): ErrorExcerpt | null {
    const failed = this.sections.filter(({ status }) => status === 'FAIL');
    const inFailed = failed.find(({ error }) => error !== null)?.error;
    const found = inFailed ?? failed.find(({ end }) => end.lines.length > 0)?.end ?? this.firstError();
    if (!found) return null;
    const { errorLine, firstLine, lines } = found;
    return { errorLine, firstLine, lines };
  }

  private toldSections(): LogSection[] {
    return this.sections.map(({ kind, name, line, status, seconds }) => {
      return { kind, name, line, status, seconds };
    });
  }

  private firstError(): FoundError | null {
    return this.sections.find(({ error }) => error !== null)?.error ?? null;
  }

  private keep(part: Buffer): void {
    if (part.length === 0) return;
    this.isInLine = true;
    if (this.lineBytes >= LINE_BYTES_MAX) return;
    const kept = Buffer.from(part.subarray(0, LINE_BYTES_MAX - this.lineBytes));
    this.line.push(kept);
    this.lineBytes += kept.length;
  }

  private endLine(): void {
    const bytes = this.line.length === 1 ? this.line[0]! : Buffer.concat(this.line);
    const text = plain(bytes.toString('utf8'));
    this.line = [];
    this.lineBytes = 0;
    this.isInLine = false;
    this.read(text, this.newlines + 1);
  }

  private read(text: string, number: number): void {
    const own = ownLine(text);
    const section = this.sectionAt(own, number);
    this.fill(text);
    if (section.kind !== 'test') this.readPackages(text, own, number);
    if (own) {
      this.resultOf = own.kind === 'results' ? this.sectionOf(own.name) : null;
      if (this.resultOf)
        this.resultOf.seconds = (own.clock - this.resultOf.clock + DAY_SECONDS) % DAY_SECONDS;
    } else {
      this.readStatus(text);
      if (this.isError(text)) this.mark(section, text, number);
      if (section.kind === 'test' && section.status === null && text !== '')
        addToEnd(section.end, text, number);
    }
    this.recent.push(excerptLine(text));
    if (this.recent.length > BEFORE) this.recent.shift();
  }

  private readPackages(text: string, own: OwnLine | null, number: number): void {
    const release = own && fallbackRelease(own);
    if (release) this.fallback ??= { line: number, release };
    if (own) return;
    const fetched = fetchedPackage(text);
    if (fetched) this.noteFetched(fetched);
    const [name, version] = (!fetched && installedPackage(text)) || [];
    if (name === undefined || version === undefined) return;
    if (!this.installed.has(name) && this.installed.size >= INSTALLED_MAX) return;
    const suite = this.suiteOf(name, version);
    this.installed.set(name, suite === null ? [name, version] : [name, version, suite]);
    this.fetched.delete(name);
  }

  private noteFetched({ name, version, suite }: { name: string; version: string; suite: string }): void {
    if (this.fetched.has(name) || this.fetched.size < INSTALLED_MAX)
      this.fetched.set(name, { version, suite });
  }

  /** Where this version was fetched from, now or for an earlier test: the second one may find it in apt's cache. */
  private suiteOf(name: string, version: string): string | null {
    const fetched = this.fetched.get(name);
    if (fetched?.version === version) return fetched.suite;
    const [, before, suite] = this.installed.get(name) ?? [];
    return before === version && suite !== undefined ? suite : null;
  }

  /** The section that the line belongs to; the line may begin it. */
  private sectionAt(own: OwnLine | null, number: number): OpenSection {
    const last = this.sections.at(-1);
    if (last && (!own || own.kind === 'results' || own.kind === 'other')) return last;
    if (last && this.sections.length >= SECTIONS_MAX) return last;
    const kind = own && own.kind !== 'results' && own.kind !== 'other' ? own.kind : 'start';
    const name = oneLine(own && kind !== 'start' ? own.name : '', SECTION_NAME_LENGTH_MAX);
    const end = { errorLine: number, firstLine: number, lines: [] };
    const clock = own?.clock ?? 0;
    const begun: OpenSection = {
      kind,
      name,
      line: number,
      status: null,
      seconds: null,
      clock,
      error: null,
      end,
    };
    this.sections.push(begun);
    return begun;
  }

  private sectionOf(test: string): OpenSection | null {
    const last = this.sections.at(-1);
    return last?.kind === 'test' && last.name === oneLine(test, SECTION_NAME_LENGTH_MAX) ? last : null;
  }

  private readStatus(text: string): void {
    if (!this.resultOf) return;
    const status: TestStatus | null = statusLine(text, this.resultOf.name);
    if (status) this.resultOf.status = status;
    this.resultOf = null;
  }

  private isError(text: string): boolean {
    return this.errors.test(text.slice(0, SEARCHED_LENGTH_MAX));
  }

  private mark(section: OpenSection, text: string, number: number): void {
    this.marksTotal += 1;
    if (this.marks.length < MARKS_MAX) this.marks.push(number);
    if (section.error) return;
    const before = this.recent.slice(-Math.min(BEFORE, number - section.line));
    const lines = number === section.line ? [excerptLine(text)] : [...before, excerptLine(text)];
    section.error = { errorLine: number, firstLine: number - lines.length + 1, lines };
    this.unfilled = section.error;
  }

  private fill(text: string): void {
    if (!this.unfilled) return;
    this.unfilled.lines.push(excerptLine(text));
    const { lines, errorLine, firstLine } = this.unfilled;
    if (lines.length >= EXCERPT_LINES_MAX || lines.length - (errorLine - firstLine) > BEFORE)
      this.unfilled = null;
  }
}

function addToEnd(end: FoundError, text: string, number: number): void {
  if (number !== end.errorLine + 1) end.lines = [];
  end.lines.push(excerptLine(text));
  if (end.lines.length > EXCERPT_LINES_MAX) end.lines.shift();
  end.errorLine = number;
  end.firstLine = number - end.lines.length + 1;
}

/** What a progress bar overwrote is left out, as are the codes of a terminal. */
function plain(line: string): string {
  const text = stripVTControlCharacters(line).replace(/\r+$/, '');
  return text.slice(text.lastIndexOf('\r') + 1);
}
