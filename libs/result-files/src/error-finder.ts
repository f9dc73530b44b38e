import { EXCERPT_LINES_MAX, type ErrorExcerpt } from '@proctor/contracts';
import { isProgress, lineKind, SEARCHED_LENGTH_MAX, type LineKind } from './error-patterns';
import { excerptLine } from './excerpt-line';

/** Lines of an excerpt before and after the error. */
const AROUND = 2;
/** Lines of a traceback that are read. */
const TRACEBACK_LINES_MAX = 500;
/** Lines of the details of a failed check of TAP. */
const TAP_DETAILS_MAX = 500;
/** Most lines between a failure and the line with its reason. */
const BESIDE = 40;

/** How well a line explains a failure; the first line of the highest rank is the error. */
const RANKS: Record<LineKind, number> = {
  cause: 50,
  trace: 50,
  trouble: 45,
  failure: 40,
  program: 35,
  error: 20,
  detail: 15,
  consequence: 10,
  harmless: 0,
  progress: 0,
};
/** Rank of a cause after which checks pass: a test may expect it. */
const DOUBTFUL = 30;
/** Rank of a message of the runner itself. */
const CERTAIN = 60;
const TRACEBACK = /^(.{0,40}?)Traceback \(most recent call last\):?$/;

interface Candidate extends ErrorExcerpt {
  rank: number;
}

/**
 * Finds the line that explains best why a part of a log failed: the first line of the highest rank. Later lines mostly
 * follow from the first one. The rank is necessary since logs of working programs have many lines about errors. The
 * memory of this class does not grow with the part.
 */
export class ErrorFinder {
  private best: Candidate | null = null;
  /** A detail without a failure near it yet. */
  private detail: Candidate | null = null;
  /** Number of the last failed check of TAP. */
  private tapAt = -Infinity;
  /** Number of the last failure without a detail yet. */
  private failedAt = -Infinity;
  private hasFailed = false;
  /** The text before each line of the current traceback. */
  private traceback: { before: string; until: number } | null = null;
  /** The last line of the details of a check of TAP; they repeat its message. */
  private tapUntil = -Infinity;
  private unfilled: Candidate[] = [];
  private recent: string[] = [];
  private lastNumber = 0;
  /** The current line, as an excerpt shows it. */
  private text = '';
  private isBehindBlank = false;
  /** The last line is from the runner itself. */
  private isBehindRunners = true;

  /** @param errors pattern of lines that may be about an error */
  constructor(private readonly errors: RegExp) {}

  /** The line that explains the failure best, with those around it; null without one. */
  get excerpt(): ErrorExcerpt | null {
    if (!this.best) return null;
    const { errorLine, firstLine, lines } = this.best;
    return { errorLine, firstLine, lines };
  }

  private get isDoubtful(): boolean {
    return this.rank === RANKS.cause || this.rank === RANKS.trouble;
  }

  get rank(): number {
    return this.best?.rank ?? 0;
  }

  /**
   * Reads the next line.
   * @param text as an excerpt shows it
   * @param untimed without the elapsed time that the runner has written before it
   * @param isRunners all of it is from the runner itself
   * @returns whether it is about an error
   */
  read(text: string, untimed: string, number: number, isRunners: boolean): boolean {
    if (this.unfilled.length > 0) this.fill(text);
    this.text = text;
    const isError = isRunners ? this.readRunners(untimed, number) : this.readOther(untimed, number);
    this.isBehindBlank = untimed.trim() === '';
    this.recent.push(text);
    if (this.recent.length > AROUND) this.recent.shift();
    this.lastNumber = number;
    this.isBehindRunners = isRunners;
    return isError;
  }

  private fill(text: string): void {
    for (const { lines } of this.unfilled) lines.push(excerptLine(text));
    this.unfilled = this.unfilled.filter(isUnfilled);
  }

  private readRunners(text: string, number: number): boolean {
    this.traceback = null;
    if (!/: ERROR: /.test(text)) return false;
    this.offer(
      /: ERROR: (?:timed out on command|erroneous package)/.test(text) ? CERTAIN : RANKS.error,
      number,
    );
    return true;
  }

  private readOther(line: string, number: number): boolean {
    const text = line.slice(0, SEARCHED_LENGTH_MAX);
    if (this.traceback) return this.readTraceback(text, number);
    if (number === this.tapAt + 1 && /^ *---$/.test(text)) this.tapUntil = number + TAP_DETAILS_MAX;
    if (number <= this.tapUntil) return this.readTapDetail(text);
    if (!this.errors.test(text)) {
      if (this.isDoubtful && !this.hasFailed && isProgress(text)) this.best!.rank = DOUBTFUL;
      return false;
    }
    const before = TRACEBACK.exec(text)?.[1];
    if (before !== undefined) {
      this.traceback = { before, until: number + TRACEBACK_LINES_MAX };
      return true;
    }
    if (/^ {0,12}not ok\b/.test(text)) this.tapAt = number;
    return this.weigh(lineKind(text), number);
  }

  private readTraceback(text: string, number: number): boolean {
    const { before, until } = this.traceback!;
    if (number <= until && (text === before.trimEnd() || /^\s/.test(text.slice(before.length)))) return false;
    this.traceback = null;
    if (!text.startsWith(before)) return this.readOther(text, number);
    this.offer(RANKS.cause, number);
    return true;
  }

  private readTapDetail(text: string): boolean {
    if (/^ *\.\.\.$/.test(text)) this.tapUntil = -Infinity;
    return this.errors.test(text) && RANKS[lineKind(text)] > 0;
  }

  private weigh(kind: LineKind, number: number): boolean {
    switch (kind) {
      case 'harmless':
      case 'progress':
        if (kind === 'progress') this.detail = null;
        return false;
      case 'detail':
        if (number - this.failedAt <= BESIDE) {
          this.failedAt = -Infinity;
          this.offer(RANKS.cause, number);
          return true;
        }
        this.detail ??= this.excerptOf(RANKS.cause, number);
        return false;
      case 'failure':
        this.hasFailed = true;
        if (this.detail && number - this.detail.errorLine <= BESIDE) this.accept(this.detail);
        else this.failedAt = number;
        this.detail = null;
        break;
      case 'trace':
      case 'consequence':
        this.offerBefore(RANKS[kind], number);
        return true;
      case 'cause':
      case 'trouble':
      case 'program':
      case 'error':
    }
    this.offer(RANKS[kind], number);
    return true;
  }

  /** The line before has the reason, if there is one. */
  private offerBefore(rank: number, number: number): void {
    if (rank <= this.rank) return;
    const candidate = this.excerptOf(rank, number);
    if (!this.isBehindRunners && !this.isBehindBlank && candidate.lines.length > 1)
      candidate.errorLine = number - 1;
    this.accept(candidate);
  }

  private offer(rank: number, number: number): void {
    if (rank > this.rank) this.accept(this.excerptOf(rank, number));
  }

  private accept(candidate: Candidate): void {
    if (candidate.rank > this.rank) this.best = candidate;
  }

  private excerptOf(rank: number, number: number): Candidate {
    const before = number === this.lastNumber + 1 ? this.recent : [];
    const lines = [...before, this.text].map(excerptLine);
    const candidate = { rank, errorLine: number, firstLine: number - lines.length + 1, lines };
    this.unfilled.push(candidate);
    return candidate;
  }
}

function isUnfilled({ lines, errorLine, firstLine }: Candidate): boolean {
  return lines.length < EXCERPT_LINES_MAX && lines.length - (errorLine - firstLine) <= AROUND;
}
