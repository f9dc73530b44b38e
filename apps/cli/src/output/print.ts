import { EXIT } from '../failure';
import { type TableCell, type TableColumn, formatTable, outputPlace, plain } from './table';

/** Options of every command that prints data. */
export interface OutputOptions {
  /** Print one JSON document instead of words. */
  json?: boolean;
}

/**
 * Writes to standard output. If the reader has closed it, as in `proctor run list | head`, the command ends without an
 * error. A full disk is an error.
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

/** Prints a message for people on standard error. Text of other origin in it cannot move the cursor of the terminal. */
export function printNotice(text: string): void {
  console.error(text.split('\n').map(plain).join('\n'));
}

/** Prints a table, or the notice `whenEmpty` if it has no rows. */
export function printTable<Row>(rows: Row[], columns: TableColumn<Row>[], whenEmpty: string): void {
  if (rows.length === 0) printNotice(whenEmpty);
  else write(formatTable(rows, columns, outputPlace()));
}

/** Prints names and values, one pair a line. */
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

/** Characters that JSON may have as they are, although terminals obey or hide them. */
const SIGNS = /[^\n\P{Cc}]|[\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Prints a JSON document on standard output: indented on a terminal, else on one line. */
export function printJson(value: unknown): void {
  const text = JSON.stringify(value, null, process.stdout.isTTY ? 2 : undefined);
  write(`${text.replace(SIGNS, (sign) => sign.replace(/[^]/g, jsonEscape))}\n`);
}

function jsonEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Prints the answer as JSON with `--json`, else in words. */
export function printAnswer<T>(answer: T, { json }: OutputOptions, inWords: (answer: T) => void): void {
  if (json) printJson(answer);
  else inWords(answer);
}
