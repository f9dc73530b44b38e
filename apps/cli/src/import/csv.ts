import { createReadStream } from 'node:fs';

/** A row of a file, and where it stands. */
export interface CsvRow {
  /** The line on which it begins; 1 is the head. */
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
    for (let place = 0; place < chunk.length; place += 1) {
      const code = chunk.charCodeAt(place);
      if (code === NEWLINE) this.line += 1;
      if (this.isQuoted && !this.isAfterQuote) {
        if (code !== QUOTE) continue;
        this.text += chunk.slice(start, place);
        this.isAfterQuote = true;
        start = place + 1;
        continue;
      }
      if (this.isAfterQuote) {
        this.isAfterQuote = false;
        if (code === QUOTE) {
          // Two quotes are one; the text goes on behind the first of them.
          start = place;
          continue;
        }
        this.isQuoted = false;
      }
      if (code === QUOTE && this.text === '' && start === place && !this.wasQuoted) {
        [this.isQuoted, this.wasQuoted, start] = [true, true, place + 1];
      } else if (code === COMMA || code === NEWLINE || code === RETURN) {
        this.text += chunk.slice(start, place);
        start = place + 1;
        if (code === COMMA) this.endField();
        else if (code === NEWLINE) this.endRow();
      }
    }
    this.text += chunk.slice(start);
  }

  /** @returns the line of a quote that nothing closes; null when the file ended well */
  end(): number | null {
    if (this.isQuoted && !this.isAfterQuote) return this.firstLine;
    if (this.fields.length > 0 || this.text !== '' || this.wasQuoted) this.endRow();
    return null;
  }

  private endField(): void {
    this.fields.push(this.text === '' && !this.wasQuoted ? null : this.text);
    [this.text, this.wasQuoted] = ['', false];
  }

  private endRow(): void {
    if (this.fields.length > 0 || this.text !== '' || this.wasQuoted) {
      this.endField();
      this.rows.push({ line: this.firstLine, fields: this.fields });
    }
    [this.fields, this.firstLine] = [[], this.line];
  }
}

/** The rows in parts, the head among them. @throws Error for a quote that is not closed */
export async function* csvRows(path: string): AsyncGenerator<CsvRow[]> {
  const parser = new CsvParser();
  for await (const chunk of createReadStream(path, { encoding: 'utf8', highWaterMark: 1 << 20 })) {
    parser.feed(chunk as string);
    yield parser.rows;
    parser.rows = [];
  }
  const open = parser.end();
  if (open !== null) throw new Error(`${path}:${open}: a quote is not closed: the file is cut off`);
  yield parser.rows;
}
