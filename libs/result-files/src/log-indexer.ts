import { EXCERPT_LINES_MAX, type ErrorExcerpt } from '@proctor/contracts';
import { stripVTControlCharacters } from 'node:util';
import type { GzipBlock } from './block-gzip';
import { ErrorFinder } from './error-finder';
import { SEARCHED_LENGTH_MAX } from './error-patterns';
import { excerptLine, withReturns } from './excerpt-line';
import { INSTALLED_MAX, MARKS_MAX } from './log-index';
import { LogSections } from './log-sections';
import {
  fallbackRelease,
  isWithoutInit,
  parseFetchLine,
  parseInstallLine,
  LINE_END_LENGTH,
  type OwnLine,
} from './own-lines';
import type { LogBlock, LoggedPackage, LogIndex, LogSection } from './log-index';

const NEWLINE = 10;
const RETURN = 13;
/** Bytes of a line that are read; a character has at most four. */
const LINE_BYTES_MAX = SEARCHED_LENGTH_MAX * 4;
const ESCAPE = '\u001B';
const ESCAPE_OF_8_BITS = '\u009B';
const NOTHING: Buffer = Buffer.alloc(0);

interface OpenSection extends LogSection {
  errors: ErrorFinder;
  /** The first lines of the test's standard error, once the runner repeats it. */
  stderr: ErrorExcerpt | null;
  /**
   * Its last lines before the runner's own, shortened when the next section starts; its first line while there are
   * none.
   */
  end: ErrorExcerpt;
}

/** Reads a log once, piece by piece, and builds its index. Memory does not grow with the log. */
export class LogIndexer {
  private bytes = 0;
  private newlines = 0;
  private line: Buffer[] = [];
  private lineBytes = 0;
  /** The end of a line that is not completely in memory. */
  private lineEnd: Buffer = NOTHING;
  private isInLine = false;
  /** The last byte of the line is a carriage return: the next bytes overwrite it. */
  private isReturned = false;
  private readonly blocks: LogBlock[] = [];
  private readonly sections = new LogSections<OpenSection>((section) => this.openSection(section));
  private readonly marks: number[] = [];
  private marksTotal = 0;
  /** The next line is the first of standard error that the runner repeats. */
  private isStderr = false;
  /** Name → a package that apt has fetched and dpkg has not set up yet. */
  private readonly fetchedPackages = new Map<string, { version: string; suite: string }>();
  private readonly installed = new Map<string, LoggedPackage>();
  private fallback: LogIndex['fallback'] = null;
  private withoutInitLine: LogIndex['withoutInitLine'] = null;

  /** @param errors pattern of lines with errors, see errorExpression */
  constructor(private readonly errors: RegExp) {}

  /** Adds the next bytes of the log. @param block where reading can start with the first of them */
  add(chunk: Buffer, block: GzipBlock | null = null): void {
    if (block) this.blocks.push({ ...block, newlines: this.newlines });
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      if (this.isInLine || end - from > LINE_BYTES_MAX) {
        this.addToLine(chunk.subarray(from, end));
        this.endLine();
      } else {
        // For most lines nothing is copied.
        const text = plain(chunk.toString('utf8', from, end));
        this.read(text, text, this.newlines + 1);
      }
      this.newlines += 1;
      from = end + 1;
    }
    this.addToLine(chunk.subarray(from));
    this.bytes += chunk.length;
  }

  /** Marks that bytes of the log are missing here. */
  skip(): void {
    this.sections.skip();
  }

  /** The index of an unfinished log, from its complete lines. */
  currentIndex(): Pick<LogIndex, 'sections' | 'lines' | 'marks'> {
    return { sections: this.listSections(), lines: this.newlines, marks: this.marks };
  }

  /** The log is complete: returns its index. */
  end(): LogIndex {
    const lines = this.newlines + (this.isInLine ? 1 : 0);
    if (this.isInLine) this.endLine();
    return {
      version: 1,
      bytes: this.bytes,
      lines,
      blocks: this.blocks,
      sections: this.listSections(),
      marks: this.marks,
      marksTotal: this.marksTotal,
      installed: [...this.installed.values()],
      fallback: this.fallback,
      withoutInitLine: this.withoutInitLine,
    };
  }

  /**
   * The lines around the error of a failed run. In the first test that failed: the line that explains it best, or else
   * the end of its output. If the log shows no failed test: the best line of all. Null without any.
   */
  excerpt(): ErrorExcerpt | null {
    const sections = this.sections.list();
    const failedSections = sections.filter(({ status }) => status === 'FAIL');
    const inFailed = failedSections
      .map((section) => this.errorOf(section))
      .find((excerpt) => excerpt !== null);
    if (inFailed) return inFailed;
    const silent = failedSections.find(hasOutput) ?? failedSections[0];
    return silent ? { ...silent.end, lines: silent.end.lines.map(excerptLine) } : findBestExcerpt(sections);
  }

  private errorOf(section: OpenSection): ErrorExcerpt | null {
    const isByStderr = this.sections.detailOf(section).startsWith('stderr:');
    return (isByStderr ? section.stderr : null) ?? section.errors.excerpt;
  }

  private listSections(): LogSection[] {
    return this.sections.list().map(({ kind, name, line, status, seconds }) => {
      return { kind, name, line, status, seconds };
    });
  }

  private addToLine(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.isInLine = true;
    const part = this.lineBytes + bytes.length > LINE_BYTES_MAX ? this.removeOverwritten(bytes) : bytes;
    this.isReturned = bytes.at(-1) === RETURN;
    const fitting = part.subarray(0, LINE_BYTES_MAX - this.lineBytes);
    if (fitting.length > 0) this.line.push(Buffer.from(fitting));
    this.lineBytes += fitting.length;
    if (fitting.length < part.length)
      this.lineEnd = Buffer.concat([
        this.lineEnd,
        part.subarray(fitting.length).subarray(-LINE_END_LENGTH),
      ]).subarray(-LINE_END_LENGTH);
  }

  /**
   * Text that a progress bar overwrote takes no space in a long line. @returns the bytes that nothing overwrites so far
   */
  private removeOverwritten(bytes: Buffer): Buffer {
    const isWhole = this.lineEnd.length === 0;
    const line = isWhole ? Buffer.concat([...this.line, bytes]) : bytes;
    let end = line.length;
    while (end > 0 && line[end - 1] === RETURN) end -= 1;
    const start = end === 0 ? 0 : line.lastIndexOf(RETURN, end - 1) + 1;
    if (start === 0 && (isWhole || end === 0 || !this.isReturned)) return bytes;
    this.resetLine();
    return line.subarray(start);
  }

  private resetLine(): void {
    this.line = [];
    this.lineBytes = 0;
    this.lineEnd = NOTHING;
  }

  private endLine(): void {
    const bytes = this.line.length === 1 ? this.line[0]! : Buffer.concat(this.line);
    const text = plain(bytes.toString('utf8'));
    const end = this.lineEnd.length > 0 ? plain(this.lineEnd.toString('utf8')) : text;
    this.resetLine();
    this.isInLine = false;
    this.isReturned = false;
    this.read(text, end, this.newlines + 1);
  }

  private read(text: string, end: string, number: number): void {
    const own = this.sections.read(text, end, number);
    const section = this.sections.last;
    if (section.kind !== 'test') this.readPackages(text, own, number);
    if (number === section.line) section.end = { errorLine: number, firstLine: number, lines: [text] };
    const isOutput = !own && !this.sections.isResult && section.kind !== 'summary';
    const untimed = this.sections.withoutTimes(text);
    if (isOutput && isWithoutInit(untimed)) this.withoutInitLine ??= number;
    if ((isOutput || own) && section.errors.read(text, untimed, number, own !== null)) this.mark(number);
    if (isOutput && this.isStderr) section.stderr ??= { errorLine: number, firstLine: number, lines: [] };
    if (isOutput && section.stderr) addAfter(section.stderr, text);
    this.isStderr = own?.kind === 'stderr';
    if (isOutput && section.kind === 'test' && untimed !== '' && !section.stderr)
      addToEnd(section, text, number);
  }

  private openSection(section: LogSection): OpenSection {
    const before: OpenSection | undefined = this.sections.last;
    if (before) before.end.lines = before.end.lines.map(excerptLine);
    const end = { errorLine: section.line, firstLine: section.line, lines: [] };
    return { ...section, errors: new ErrorFinder(this.errors), stderr: null, end };
  }

  private readPackages(text: string, own: OwnLine | null, number: number): void {
    const release = own && fallbackRelease(own);
    if (release) this.fallback ??= { line: number, release };
    if (own) return;
    const fetched = parseFetchLine(text);
    if (fetched) this.recordFetched(fetched);
    const [name, version] = (!fetched && parseInstallLine(text)) || [];
    if (name === undefined || version === undefined) return;
    if (!this.installed.has(name) && this.installed.size >= INSTALLED_MAX) return;
    const suite = this.suiteOf(name, version);
    this.installed.set(name, suite === null ? [name, version] : [name, version, suite]);
    this.fetchedPackages.delete(name);
  }

  private recordFetched({ name, version, suite }: { name: string; version: string; suite: string }): void {
    if (this.fetchedPackages.has(name) || this.fetchedPackages.size < INSTALLED_MAX)
      this.fetchedPackages.set(name, { version, suite });
  }

  /**
   * The suite from which this version was fetched, now or for an earlier test: the second one may find it in apt's
   * cache.
   */
  private suiteOf(name: string, version: string): string | null {
    const fetched = this.fetchedPackages.get(name);
    if (fetched?.version === version) return fetched.suite;
    const [, before, suite] = this.installed.get(name) ?? [];
    return before === version && suite !== undefined ? suite : null;
  }

  private mark(number: number): void {
    this.marksTotal += 1;
    if (this.marks.length < MARKS_MAX) this.marks.push(number);
  }
}

function findBestExcerpt(sections: OpenSection[]): ErrorExcerpt | null {
  const most = Math.max(...sections.map(({ errors }) => errors.rank));
  return sections.find(({ errors }) => errors.rank === most)?.errors.excerpt ?? null;
}

/** Adds to the first lines. */
function addAfter({ lines }: ErrorExcerpt, text: string): void {
  if (lines.length < EXCERPT_LINES_MAX) lines.push(excerptLine(text));
}

/** Whether its test has written something. */
function hasOutput({ end, line }: OpenSection): boolean {
  return end.errorLine > line;
}

function addToEnd({ end, line }: OpenSection, text: string, number: number): void {
  if (end.errorLine === line || number !== end.errorLine + 1) end.lines = [];
  end.lines.push(text);
  if (end.lines.length > EXCERPT_LINES_MAX) end.lines.shift();
  end.errorLine = number;
  end.firstLine = number - end.lines.length + 1;
}

/** Removes text that a progress bar overwrote, and the codes of a terminal. */
function plain(line: string): string {
  const hasCodes = line.includes(ESCAPE) || line.includes(ESCAPE_OF_8_BITS);
  const text = hasCodes ? stripVTControlCharacters(withReturns(line)) : line;
  if (!text.includes('\r')) return text;
  let end = text.length;
  while (text[end - 1] === '\r') end -= 1;
  return text.slice(text.lastIndexOf('\r', end - 1) + 1, end);
}
