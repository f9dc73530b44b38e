import { EXCERPT_LINES_MAX, type ErrorExcerpt } from '@proctor/contracts';
import { isProgress, lineKind, SEARCHED_LENGTH_MAX, type LineKind } from './error-patterns';
import { excerptLine } from './excerpt-line';

/** Lines of an excerpt before the error, and after it. */
const AROUND = 2;
/** Lines of a traceback that are looked at. */
const TRACEBACK_LINES_MAX = 500;
/** Lines of what a check of TAP says about its failure. */
const TAP_DETAILS_MAX = 500;
/** Lines between a failure and a line that says what failed. */
const BESIDE = 40;

/** How telling a line is; the first of the most telling ones is the error. */
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
/** Of a cause behind which checks pass: it may be what a test expects. */
const DOUBTFUL = 30;
/** Of what the runner itself says. */
const CERTAIN = 60;
const TRACEBACK = /^(.{0,40}?)Traceback \(most recent call last\):?$/;

interface Candidate extends ErrorExcerpt {
  rank: number;
}

/**
 * Finds the line of a part of a log that says best why it failed: the first of those of the most telling kind. The first, since later
 * ones mostly follow from it; of the most telling kind, since logs of sound programs are full of lines that speak of errors. Its memory
 * does not grow with the part.
 */
export class ErrorFinder {
  private best: Candidate | null = null;
  /** A detail that no failure stands beside yet. */
  private detail: Candidate | null = null;
  /** The line of the last check of TAP that failed. */
  private tapAt = -Infinity;
  /** The line of the last failure that has no detail yet. */
  private failedAt = -Infinity;
  private hasFailed = false;
  /** What stands before each line of the traceback that goes on. */
  private traceback: { before: string; until: number } | null = null;
  /** The last line that belongs to the details of a check of TAP; they repeat what it said. */
  private tapUntil = -Infinity;
  private unfilled: Candidate[] = [];
  private recent: string[] = [];
  private lastNumber = 0;
  /** The line that is read now, as an excerpt shows it. */
  private text = '';
  private isBehindBlank = false;
  /** The last line is the runner's own. */
  private isBehindRunners = true;

  /** @param errors what a line that may speak of an error looks like */
  constructor(private readonly errors: RegExp) {}

  /** The line that says best what is wrong, with those around it; null when none says anything. */
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
   * The next line.
   * @param text as an excerpt shows it
   * @param untimed without the elapsed time that the runner has written before it
   * @param isRunners the runner itself has written all of it
   * @returns whether it speaks of an error
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

  /** The line before says what is wrong, if there is one. */
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
