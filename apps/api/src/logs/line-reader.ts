/** How many bytes of a line are kept; the others are only counted. */
export const LINE_BYTES_MAX = 16 * 1024;
const NEWLINE = 10;

export interface LogLine {
  /** The first line of the log is 1. */
  number: number;
  /** The beginning of the line, without the newline; bytes that are not UTF-8 are U+FFFD. */
  text: string;
  /** Length of the whole line, without the newline. */
  bytes: number;
}

/** Splits pieces of a log into lines. */
export class LineReader {
  private lines: LogLine[] = [];
  private parts: Buffer[] = [];
  private keptBytes = 0;
  private bytes = 0;

  /** @param number of the line in which the first piece begins @param first the first line to return */
  constructor(
    private number: number,
    private readonly first: number,
  ) {}

  /** Whether the first line to return was reached. */
  get hasBegun(): boolean {
    return this.number >= this.first;
  }

  /** @returns the number of complete lines so far */
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

  /** The complete lines since the last call. */
  newLines(): LogLine[] {
    const { lines } = this;
    this.lines = [];
    return lines;
  }

  /** The beginning of the incomplete line; null if it is empty. */
  get open(): LogLine | null {
    return this.bytes === 0 ? null : this.openLine();
  }

  /** All lines; the last may be incomplete. */
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
