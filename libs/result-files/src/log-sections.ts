import { oneLine, type TestStatus } from '@proctor/contracts';
import { SECTION_NAME_LENGTH_MAX, SECTIONS_MAX } from './log-index';
import type { LogSection } from './log-index';
import { gluedEnd, isLeftOutLine, parseOwnLine, parseResult, withoutTime } from './own-lines';
import type { OwnLine, LoggedResult } from './own-lines';

const DAY_SECONDS = 86_400;
/** Own lines that start a section. */
const IS_BEGINNING = { setup: true, preparation: true, test: true, summary: true };

/** If a name has several results, the first in this order counts. */
const WORST_FIRST: readonly TestStatus[] = ['FAIL', 'FLAKY', 'PASS', 'SKIP'];

/**
 * The parts of a log, from its lines in order. The runner writes results into one stream and all else into another, so
 * the line with a test's result may come too early; and a test may write lines that look like the runner's. So the last
 * summary decides how each test ended, and a line beside the test counts only until the summary comes.
 */
export class LogSections<Section extends LogSection> {
  readonly all: Section[] = [];
  /** Whether the last line is the result of a test. */
  isResult = false;
  /** The name of the running test: until its end, lines that look like the runner's are lines of the test. */
  private running: string | null = null;
  /** The ended test, whose result may come next. */
  private previous: Section | null = null;
  /** Section → the runner's clock at its first own line, in seconds since midnight. */
  private readonly clocks = new WeakMap<Section, number>();
  private isTimed = false;
  private isSummary = false;
  /** Section name → its result in the last summary. */
  private readonly results = new Map<string, LoggedResult>();
  /** Section name → the result that the line of the test gives. */
  private readonly beside = new Map<string, LoggedResult>();

  /** @param begin creates a section from its first fields */
  constructor(private readonly begin: (section: LogSection) => Section) {}

  /** The section of the last line. Undefined before the first line. */
  get last(): Section {
    return this.all.at(-1)!;
  }

  /**
   * Reads the next line.
   * @param end its last characters
   * @returns the runner's own line; null for a line of the test, the testbed or a tool
   */
  read(text: string, end: string, number: number): OwnLine | null {
    const own = this.acceptOwn(parseOwnLine(text));
    const kind = own && own.kind in IS_BEGINNING ? (own.kind as LogSection['kind']) : null;
    if (kind && own) this.endSection(own.clock);
    if (kind || this.all.length === 0) this.add(kind ?? 'start', kind ? own!.name : '', number);
    if (own && !this.clocks.has(this.last)) this.clocks.set(this.last, own.clock);
    this.isResult = false;
    if (own) this.applyOwn(own);
    else this.readOther(text, end);
    return own;
  }

  /** Removes the elapsed time that the runner has written before a line. */
  withoutTimes(text: string): string {
    return this.isTimed ? withoutTime(text) : text;
  }

  /** The runner's detail about the end of a section's test, from its last line; empty: none. */
  detailOf({ name }: LogSection): string {
    return (this.results.get(name) ?? this.beside.get(name))?.detail ?? '';
  }

  /** Bytes of the log are missing before the next line. The end of the test may be among them. */
  skip(): void {
    this.running = null;
  }

  /** The sections so far. */
  list(): Section[] {
    if (this.results.size === 0) return this.all;
    const holders = new Map<string, Section>();
    for (const section of this.all)
      if (section.kind === 'test' || (section.kind === 'preparation' && !holders.has(section.name)))
        holders.set(section.name, section);
    return this.all.map((section) => {
      const result = holders.get(section.name) === section ? this.results.get(section.name) : undefined;
      return { ...section, status: result?.status ?? null };
    });
  }

  private acceptOwn(own: OwnLine | null): OwnLine | null {
    if (!own || this.running === null || own.kind === 'other') return own;
    // A shortened log may lack the end of the output.
    const isEnd = own.kind === 'end' || own.kind === 'results';
    return isEnd && short(own.name) === this.running ? own : null;
  }

  private add(kind: LogSection['kind'], name: string, line: number): void {
    if (this.all.length >= SECTIONS_MAX) return;
    this.all.push(this.begin({ kind, name: short(name), line, status: null, seconds: null }));
  }

  private applyOwn(own: OwnLine): void {
    const { kind, clock } = own;
    this.isTimed = own.isTimed;
    if (kind === 'other' || kind === 'stderr') return;
    this.running = kind === 'test' ? short(own.name) : null;
    if (kind === 'end' || kind === 'results') return this.endTest(short(own.name), clock);
    this.previous = null;
    this.isSummary = kind === 'summary';
    if (this.isSummary) this.results.clear();
    // A test whose preparation failed has its result in that section.
    if (kind === 'preparation') this.previous = this.last;
  }

  private endTest(name: string, clock: number): void {
    const { last } = this;
    if (last.kind !== 'test' || last.name !== name) return;
    this.previous = last;
    this.setSeconds(last, clock);
  }

  /** The next section begins. A test ends at its own last line, or the log does not show its end. */
  private endSection(clock: number): void {
    const last = this.all.at(-1);
    if (last && last.kind !== 'test' && this.all.length < SECTIONS_MAX) this.setSeconds(last, clock);
  }

  private setSeconds(section: Section, clock: number): void {
    const start = this.clocks.get(section);
    if (start !== undefined) section.seconds ??= (clock - start + DAY_SECONDS) % DAY_SECONDS;
  }

  private readOther(text: string, end: string): void {
    if (this.running !== null) {
      const own = this.acceptOwn(gluedEnd(end));
      if (own) this.applyOwn(own);
      else if (isLeftOutLine(text)) this.skip();
      return;
    }
    const result = this.previous || this.isSummary ? parseResult(this.withoutTimes(text)) : null;
    if (!result) return;
    const name = short(result.name);
    this.isResult = this.isSummary || this.previous?.name === name;
    if (this.isSummary) this.recordResult(name, result);
    if (this.previous?.name !== name) return;
    this.previous.status ??= result.status;
    this.beside.set(name, result);
  }

  private recordResult(name: string, result: LoggedResult): void {
    const before = this.results.get(name);
    if (!before && this.results.size >= SECTIONS_MAX) return;
    if (!before || WORST_FIRST.indexOf(result.status) < WORST_FIRST.indexOf(before.status))
      this.results.set(name, result);
  }
}

function short(name: string): string {
  return oneLine(name, SECTION_NAME_LENGTH_MAX);
}
