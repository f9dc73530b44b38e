import { lastAtMost, TooFar, type LogBlock, type LogIndex } from '@proctor/result-files';
import { LineReader, type LogLine } from './line-reader';
import { searchLines, type LogSearch, type SearchLimits } from './log-search';

const NEWLINE = 10;

/** How much of a log is read at a time. */
export interface LineLimits {
  lines: number;
  /** Bytes of the log. */
  bytes: number;
}

/**
 * How long one read of a log may take, in milliseconds. An index may be wrong, a line may be very long, and the store may
 * stop in the middle of a file.
 */
const LOOK_MS = 3_000;

/** A log that can be read at any place. Its index may be wrong: the limits hold in any case. */
export class IndexedLog {
  /**
   * @param bytesFrom returns the bytes of the log from an offset on, until the signal, whose reason it throws; may throw
   * StoreUnavailable, NoAnswer, or Error if the file is no gzip
   * @param lookMs the time limit of a read
   */
  constructor(
    readonly index: LogIndex,
    readonly bytesFrom: (offset: number, late?: AbortSignal) => AsyncIterable<Buffer>,
    private readonly lookMs = LOOK_MS,
  ) {}

  /** Lines from a given one on. @throws TooFar if the line cannot be reached in time; the errors of `bytesFrom` */
  async lines(first: number, limits: LineLimits): Promise<LogLine[]> {
    const block = this.blockOf(first);
    const reader = new LineReader(block ? block.newlines + 1 : 1, first);
    const from = block?.offset ?? 0;
    let start: number | null = null;
    let byteCount = 0;
    for await (const chunk of this.within(this.lookMs, from)) {
      const lineCount = reader.add(chunk);
      byteCount += chunk.length;
      if (reader.hasBegun) start ??= byteCount;
      if (lineCount >= limits.lines || (start !== null && byteCount - start >= limits.bytes)) break;
    }
    return reader.end().slice(0, limits.lines);
  }

  /**
   * The beginning of one line, at most `bytesMax` bytes; empty if the line does not exist.
   * @throws TooFar if the line cannot be reached in time; the errors of `bytesFrom`
   */
  async wholeLine(number: number, bytesMax: number): Promise<Buffer> {
    const block = this.blockOf(number);
    const parts: Buffer[] = [];
    let [line, bytes] = [block ? block.newlines + 1 : 1, 0];
    for await (const chunk of this.within(this.lookMs, block?.offset ?? 0)) {
      let from = 0;
      for (; line < number && from !== -1; line += from === -1 ? 0 : 1) {
        const newline = chunk.indexOf(NEWLINE, from);
        from = newline === -1 ? -1 : newline + 1;
      }
      if (from === -1) continue;
      const end = chunk.indexOf(NEWLINE, from);
      const part = chunk.subarray(from, end === -1 ? chunk.length : end);
      parts.push(part);
      bytes += part.length;
      if (end !== -1 || bytes >= bytesMax) break;
    }
    return Buffer.concat(parts).subarray(0, bytesMax);
  }

  /** The lines with a text, from a given line on, ignoring case. @throws the errors of `bytesFrom` */
  search(text: string, first: number, limits: SearchLimits): Promise<LogSearch> {
    const block = this.blockOf(first);
    const start = { line: block ? block.newlines + 1 : 1, offset: block?.offset ?? 0 };
    return searchLines(this.within(limits.timeoutMs, start.offset), start.line, text, first, limits.hits);
  }

  /** @throws TooFar if the read does not end in time; the errors of `bytesFrom` */
  private async *within(timeMs: number, offset: number): AsyncGenerator<Buffer> {
    const late = new AbortController();
    const tooFar = new TooFar('the place of the log is too far to be read');
    const timer = setTimeout(() => late.abort(tooFar), timeMs);
    const until = performance.now() + timeMs;
    try {
      for await (const chunk of this.bytesFrom(offset, late.signal)) {
        yield chunk;
        // The timer waits while chunks come without a pause.
        if (performance.now() > until) throw tooFar;
      }
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * The block that contains the beginning of the line, or the newline before it; undefined: the beginning of the log.
   */
  private blockOf(line: number): LogBlock | undefined {
    const { blocks } = this.index;
    return line <= 1 ? undefined : blocks[lastAtMost(blocks, ({ newlines }) => newlines, line - 2)];
  }
}
