import { LogIndexer } from '@proctor/result-files';
import { IndexedLog } from './indexed-log';
import type { LineLimits, ReadTimes } from './indexed-log';

const NEWLINE = 10;

/** A piece of a live log. */
export interface LivePiece {
  /** Bytes of the log before this piece. */
  offset: number;
  data: Buffer;
  /** A message of the worker, and no bytes of the log. */
  isNote: boolean;
}

/** The content of a live log at one moment. */
export interface LogSoFar {
  /** The available bytes; bytes that the stream has removed are in no line. */
  log: IndexedLog;
  /** Bytes of the whole log before its last line, which may still grow. */
  openAt: number;
  /** The first of its last lines, as many as requested. */
  tail: number;
  /** The number of removed bytes. */
  missing: number;
  /** The last message of its worker; empty if there is none. */
  note: string;
  /** Whether it could be read. */
  isReached: boolean;
}

/**
 * Reads a live log once. Memory does not grow with the log.
 * @param open returns pieces from an offset on; it is called for each read part
 */
export async function logSoFar(
  open: (offset: number) => AsyncIterable<LivePiece>,
  errors: RegExp,
  tail: LineLimits,
  times: ReadTimes,
): Promise<LogSoFar> {
  const [indexer, starts] = [new LogIndexer(errors), new LineStarts(tail)];
  const summary = { openAt: 0, missing: 0, note: '', isReached: true };
  let next = 0;
  for await (const { offset, data, isNote } of open(0)) {
    if (isNote) {
      summary.note = data.toString('utf8').trim();
      continue;
    }
    summary.missing += offset - next;
    if (offset !== next) indexer.skip();
    next = offset + data.length;
    indexer.add(data);
    starts.add(data);
    const newline = data.lastIndexOf(NEWLINE);
    if (newline !== -1) summary.openAt = offset + newline + 1;
  }
  const index = indexer.end();
  return {
    log: new IndexedLog(index, bytesOf(open), times),
    tail: starts.tail(index.lines, index.bytes),
    ...summary,
  };
}

/** Nothing is read. */
const NO_TIMES: ReadTimes = { logReadMs: 0, logSearchMs: 0 };

/** The result for a log that cannot be read. */
export function unreachedLog(): LogSoFar {
  const log = new IndexedLog(new LogIndexer(/(?!)/).end(), async function* () {}, NO_TIMES);
  return { log, openAt: 0, tail: 1, missing: 0, note: '', isReached: false };
}

function bytesOf(open: (offset: number) => AsyncIterable<LivePiece>) {
  return async function* (offset: number): AsyncGenerator<Buffer> {
    for await (const { data, isNote } of open(offset)) if (!isNote) yield data;
  };
}

/** The places where the last lines begin. */
class LineStarts {
  private readonly starts: number[] = [0];
  private bytes = 0;

  constructor(private readonly limits: LineLimits) {}

  add(data: Buffer): void {
    for (let at = data.indexOf(NEWLINE); at !== -1; at = data.indexOf(NEWLINE, at + 1))
      this.starts.push(this.bytes + at + 1);
    this.bytes += data.length;
    // The last line may still be empty.
    const most = this.limits.lines + 1;
    if (this.starts.length > 2 * most) this.starts.splice(0, this.starts.length - most);
  }

  /** The number of the first of the last lines within the limits; at least the last line. */
  tail(lines: number, bytes: number): number {
    const startsInTail = this.starts.filter((start) => start < bytes).slice(-this.limits.lines);
    const within = startsInTail.filter((start) => bytes - start <= this.limits.bytes).length;
    return Math.max(1, lines - Math.max(1, within) + 1);
  }
}
