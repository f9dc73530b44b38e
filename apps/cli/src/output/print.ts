import { EXIT } from '../failure';
import { type TableCell, type TableColumn, formatTable, outputPlace, plain } from './table';

/** What every command takes that prints data. */
export interface OutputOptions {
  /** One JSON document in place of words. */
  json?: boolean;
}

/**
 * On standard output. Where its reader has read enough, as in `proctor run list | head`, that is the end and no mistake; a full disk
 * is one.
 */
export function write(text: string | Uint8Array): void {
  if (!process.stdout.listeners('error').includes(endWithoutReader))
    process.stdout.on('error', endWithoutReader);
  process.stdout.write(text);
}

function endWithoutReader(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(EXIT.done);
  printNotice(`proctor: standard output cannot be written to: ${error.message}`);
  process.exit(EXIT.failed);
}

/** Words for people, beside what a command prints; what others wrote in them cannot move the terminal's cursor. */
export function printNotice(text: string): void {
  console.error(text.split('\n').map(plain).join('\n'));
}

/** A table; `whenEmpty` is said when it has no rows. */
export function printTable<Row>(rows: Row[], columns: TableColumn<Row>[], whenEmpty: string): void {
  if (rows.length === 0) printNotice(whenEmpty);
  else write(formatTable(rows, columns, outputPlace()));
}

/** Names and values, one a line. */
export function printFields(fields: [string, TableCell][]): void {
  const place = outputPlace();
  const columns: TableColumn<[string, TableCell]>[] = [
    { head: '', of: ([name]) => name },
    { head: '', of: ([, value]) => value },
  ];
  const text = formatTable(fields, columns, { ...place, width: Infinity });
  // Fields need no heads.
  write(place.isTerminal ? text.slice(text.indexOf('\n') + 1) : text);
}

/** A JSON document on standard output: on a terminal to be read, elsewhere in one line. */
export function printJson(value: unknown): void {
  write(`${JSON.stringify(value, null, process.stdout.isTTY ? 2 : undefined)}\n`);
}

/** The answer as it is with `--json`, else in words. */
export function printAnswer<T>(answer: T, { json }: OutputOptions, inWords: (answer: T) => void): void {
  if (json) printJson(answer);
  else inWords(answer);
}
