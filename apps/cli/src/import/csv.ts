import { createReadStream } from 'node:fs';

/** A row of a file, with the line on which it begins. */
export interface CsvRow {
  /** The line on which the row begins; line 1 is the header. */
  line: number;
  fields: (string | null)[];
}

const NEWLINE = 10;
const RETURN = 13;
const QUOTE = 34;
const COMMA = 44;

/** Reads CSV as PostgreSQL's `\copy … csv` and the program sqlite3 write it: an empty field is null, `""` an empty text. */
class CsvParser {
  rows: CsvRow[] = [];
  private fields: (string | null)[] = [];
  private text = '';
  private wasQuoted = false;
  private isQuoted = false;
  /** The last character was a quote within a quoted field: its end, or the first of two. */
  private isAfterQuote = false;
  private line = 1;
  private firstLine = 1;

  feed(chunk: string): void {
    let start = 0;
    for (let index = 0; index < chunk.length; index += 1) {
      const code = chunk.charCodeAt(index);
      if (code === NEWLINE) this.line += 1;
      if (this.isQuoted && !this.isAfterQuote) {
        if (code !== QUOTE) continue;
        this.text += chunk.slice(start, index);
        this.isAfterQuote = true;
        start = index + 1;
        continue;
      }
      if (this.isAfterQuote) {
        this.isAfterQuote = false;
        if (code === QUOTE) {
          // Two quotes mean one: the text continues with the second.
          start = index;
          continue;
        }
        this.isQuoted = false;
      }
      if (code === QUOTE && this.text === '' && start === index && !this.wasQuoted) {
        this.isQuoted = true;
        this.wasQuoted = true;
        start = index + 1;
      } else if (code === COMMA || code === NEWLINE || code === RETURN) {
        this.text += chunk.slice(start, index);
        start = index + 1;
        if (code === COMMA) this.endField();
        else if (code === NEWLINE) this.endRow();
      }
    }
    this.text += chunk.slice(start);
  }

  /** @returns the first line of a row with an unclosed quote; null if there is none */
  end(): number | null {
    if (this.isQuoted && !this.isAfterQuote) return this.firstLine;
    if (this.fields.length > 0 || this.text !== '' || this.wasQuoted) this.endRow();
    return null;
  }

  private endField(): void {
    this.fields.push(this.text === '' && !this.wasQuoted ? null : this.text);
    this.text = '';
    this.wasQuoted = false;
  }

  private endRow(): void {
    if (this.fields.length > 0 || this.text !== '' || this.wasQuoted) {
      this.endField();
      this.rows.push({ line: this.firstLine, fields: this.fields });
    }
    this.fields = [];
    this.firstLine = this.line;
  }
}

/** Reads the rows in batches, the header first. @throws Error for an unclosed quote */
export async function* csvRows(path: string): AsyncGenerator<CsvRow[]> {
  const parser = new CsvParser();
  for await (const chunk of createReadStream(path, { encoding: 'utf8', highWaterMark: 1 << 20 })) {
    parser.feed(chunk as string);
    yield parser.rows;
    parser.rows = [];
  }
  const unclosedLine = parser.end();
  if (unclosedLine !== null)
    throw new Error(`${path}:${unclosedLine}: a quote is not closed: the file is cut off`);
  yield parser.rows;
}
