import { LogIndexer } from '@proctor/result-files';
import { IndexedLog } from './indexed-log';
import type { LineLimits } from './indexed-log';

const NEWLINE = 10;

/** A piece of a live log. */
export interface LivePiece {
  /** Bytes of the log before it. */
  offset: number;
  data: Buffer;
  /** Its data are words of the worker, and no bytes of the log. */
  isNote: boolean;
}

/** What there was of a live log at a time. */
export interface LogSoFar {
  /** The bytes that are known; those that the stream has forgotten are in no line. */
  log: IndexedLog;
  /** Bytes of the whole log before its last line, which may still grow. */
  openAt: number;
  /** The first of its last lines, as many as were asked for. */
  tail: number;
  /** Bytes that were forgotten. */
  missing: number;
  /** What its worker has said of it last; empty: nothing. */
  note: string;
  /** It could be read. */
  isReached: boolean;
}

/**
 * Reads once what there is of a live log. Memory does not grow with it.
 * @param open pieces from a byte on; asked again for each part of the log that is looked at
 */
export async function logSoFar(
  open: (offset: number) => AsyncIterable<LivePiece>,
  errors: RegExp,
  tail: LineLimits,
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
    log: new IndexedLog(index, bytesOf(open)),
    tail: starts.tail(index.lines, index.bytes),
    ...summary,
  };
}

/** What there is while it cannot be read. */
export function unreachedLog(): LogSoFar {
  const log = new IndexedLog(new LogIndexer(/(?!)/).end(), async function* () {});
  return { log, openAt: 0, tail: 1, missing: 0, note: '', isReached: false };
}

function bytesOf(open: (offset: number) => AsyncIterable<LivePiece>) {
  return async function* (offset: number): AsyncGenerator<Buffer> {
    for await (const { data, isNote } of open(offset)) if (!isNote) yield data;
  };
}

/** The places at which the last lines begin. */
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

  /** The number of the first of the last lines that are within the limits, the last line at least. */
  tail(lines: number, bytes: number): number {
    const startsInTail = this.starts.filter((start) => start < bytes).slice(-this.limits.lines);
    const within = startsInTail.filter((start) => bytes - start <= this.limits.bytes).length;
    return Math.max(1, lines - Math.max(1, within) + 1);
  }
}
