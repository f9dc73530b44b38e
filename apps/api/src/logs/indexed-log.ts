import { lastAtMost, readWithin, type LogBlock, type LogIndex } from '@proctor/result-files';
import { LineReader, type LogLine } from './line-reader';
import { searchLines, type LogSearch } from './log-search';

const NEWLINE = 10;

/** How much of a log is read at a time. */
export interface LineLimits {
  lines: number;
  /** Bytes of the log. */
  bytes: number;
}

/** How long a log is read, in milliseconds. */
export interface ReadTimes {
  /** The time for some of its lines. */
  logReadMs: number;
  logSearchMs: number;
}

/** A log that can be read at any place. Its index may be wrong: the limits hold in any case. */
export class IndexedLog {
  /**
   * @param bytesFrom returns the bytes of the log from an offset on, until the signal, whose reason it throws; may throw
   * StoreUnavailable, NoAnswer, or Error if the file is no gzip
   */
  constructor(
    readonly index: LogIndex,
    readonly bytesFrom: (offset: number, late?: AbortSignal) => AsyncIterable<Buffer>,
    private readonly times: ReadTimes,
  ) {}

  /** Lines from a given one on. @throws TooFar if the line cannot be reached in time; the errors of `bytesFrom` */
  async lines(first: number, limits: LineLimits): Promise<LogLine[]> {
    const block = this.blockOf(first);
    const reader = new LineReader(block ? block.newlines + 1 : 1, first);
    const from = block?.offset ?? 0;
    let start: number | null = null;
    let byteCount = 0;
    for await (const chunk of this.within(this.times.logReadMs, from)) {
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
    for await (const chunk of this.within(this.times.logReadMs, block?.offset ?? 0)) {
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

  /**
   * The lines with a text, from a given line on, ignoring case.
   * @param hitsMax how many of them
   * @throws the errors of `bytesFrom`
   */
  search(text: string, first: number, hitsMax: number): Promise<LogSearch> {
    const block = this.blockOf(first);
    const start = { line: block ? block.newlines + 1 : 1, offset: block?.offset ?? 0 };
    const content = this.within(this.times.logSearchMs, start.offset);
    return searchLines(content, start.line, text, first, hitsMax);
  }

  /** @throws TooFar if the read does not end in time; the errors of `bytesFrom` */
  private within(timeMs: number, offset: number): AsyncIterable<Buffer> {
    return readWithin(timeMs, 'the log', (late) => this.bytesFrom(offset, late));
  }

  /**
   * The block that contains the beginning of the line, or the newline before it; undefined: the beginning of the log.
   */
  private blockOf(line: number): LogBlock | undefined {
    const { blocks } = this.index;
    return line <= 1 ? undefined : blocks[lastAtMost(blocks, ({ newlines }) => newlines, line - 2)];
  }
}
