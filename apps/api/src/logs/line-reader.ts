/** Bytes of a line that are kept; the others are counted. */
export const LINE_BYTES_MAX = 16 * 1024;
const NEWLINE = 10;

export interface LogLine {
  /** 1 is the first of the log. */
  number: number;
  /** Its beginning, without the newline; what is no UTF-8 is U+FFFD. */
  text: string;
  /** Length of the whole line, without the newline. */
  bytes: number;
}

/** Makes lines of pieces of a log. */
export class LineReader {
  private lines: LogLine[] = [];
  private parts: Buffer[] = [];
  private keptBytes = 0;
  private bytes = 0;

  /**
   * @param number of the line that the first piece begins in
   * @param first line that is wanted
   */
  constructor(
    private number: number,
    private readonly first: number,
  ) {}

  /** Whether the first line that is wanted was reached. */
  get hasBegun(): boolean {
    return this.number >= this.first;
  }

  /** @returns how many whole lines there are now */
  add(chunk: Buffer): number {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      if (this.hasBegun) {
        this.addPart(chunk.subarray(from, end));
        this.endLine();
      }
      this.number += 1;
      from = end + 1;
    }
    if (this.hasBegun) this.addPart(chunk.subarray(from));
    return this.lines.length;
  }

  /** The whole lines that have come since the last call. */
  newLines(): LogLine[] {
    const { lines } = this;
    this.lines = [];
    return lines;
  }

  /** What there is of the line that has not ended; null when there is nothing. */
  get open(): LogLine | null {
    return this.bytes === 0 ? null : this.openLine();
  }

  /** All lines; the last need not be whole. */
  end(): LogLine[] {
    if (this.bytes > 0) this.endLine();
    return this.lines;
  }

  private addPart(part: Buffer): void {
    this.bytes += part.length;
    const room = LINE_BYTES_MAX - this.keptBytes;
    if (room <= 0 || part.length === 0) return;
    const beginning = part.subarray(0, room);
    this.parts.push(beginning);
    this.keptBytes += beginning.length;
  }

  private openLine(): LogLine {
    return { number: this.number, text: Buffer.concat(this.parts).toString('utf8'), bytes: this.bytes };
  }

  private endLine(): void {
    this.lines.push(this.openLine());
    [this.parts, this.keptBytes, this.bytes] = [[], 0, 0];
  }
}
