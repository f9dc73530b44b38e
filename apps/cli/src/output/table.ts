/** Null: nothing. A time is written in words on a terminal. */
export type TableCell = string | number | Date | null;

export interface TableColumn<Row> {
  head: string;
  of: (row: Row) => TableCell;
  /** What does not fit on the terminal is cut here. */
  isCut?: boolean;
}

/** Where a table is shown. */
export interface OutputPlace {
  isTerminal: boolean;
  /** Of the terminal, in characters. */
  width: number;
}

const GAP = '  ';
const CUT_WIDTH_MIN = 8;

/** On a terminal in columns below heads, elsewhere with tabs between and without heads; each line has its end. */
export function formatTable<Row>(rows: Row[], columns: TableColumn<Row>[], place: OutputPlace): string {
  const format = place.isTerminal ? inWords : inFull;
  const cells = rows.map((row) => columns.map((column) => plain(format(column.of(row)))));
  if (!place.isTerminal) return cells.map((row) => `${row.join('\t')}\n`).join('');
  const lines = [columns.map(({ head }) => head), ...cells];
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => line[index]!.length)));
  fit(widths, columns, place.width);
  const isRight = columns.map(({ of }) => rows.length > 0 && rows.every((row) => isNumber(of(row))));
  const line = (row: string[]): string =>
    row
      .map((cell, index) => padded(cutTo(cell, widths[index]!), widths[index]!, isRight[index]!))
      .join(GAP)
      .trimEnd();
  return lines.map((row) => `${line(row)}\n`).join('');
}

/** The terminal of standard output, or what takes its place. */
export function outputPlace(): OutputPlace {
  return { isTerminal: process.stdout.isTTY === true, width: process.stdout.columns ?? 80 };
}

/** A text of another origin on one line, without what moves a terminal's cursor or changes its colours. */
export function plain(text: string): string {
  return forTerminal(text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' '));
}

/** How long ago, or until when, in one unit. */
export function ago(time: Date, now = Date.now()): string {
  const seconds = Math.round((now - time.getTime()) / 1000);
  return seconds < 0 ? `in ${span(-seconds)}` : `${span(seconds)} ago`;
}

const UNITS: [string, number][] = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
];

/** A length of time, in the largest unit that it has twice. */
export function span(seconds: number): string {
  const [unit, size] = UNITS.find(([, each]) => seconds >= 2 * each) ?? ['s', 1];
  return `${Math.round(seconds / size)} ${unit}`;
}

function isNumber(cell: TableCell): boolean {
  return typeof cell === 'number';
}

function inWords(cell: TableCell): string {
  if (cell === null || cell === '') return '-';
  return cell instanceof Date ? ago(cell) : String(cell);
}

function inFull(cell: TableCell): string {
  return cell instanceof Date ? cell.toISOString() : String(cell ?? '');
}

function padded(text: string, width: number, isRight: boolean): string {
  return isRight ? text.padStart(width) : text.padEnd(width);
}

function cutTo(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 1)}…`;
}

/** Takes from the widest column that may be cut, until the line fits or there is nothing more to take. */
function fit<Row>(widths: number[], columns: TableColumn<Row>[], width: number): void {
  const gaps = GAP.length * (widths.length - 1);
  let over = widths.reduce((sum, each) => sum + each, gaps) - width;
  while (over > 0) {
    const candidates = columns.flatMap(({ isCut }, index) => (isCut ? [index] : []));
    const widest = candidates.sort((one, other) => widths[other]! - widths[one]!)[0];
    if (widest === undefined || widths[widest]! <= CUT_WIDTH_MIN) return;
    widths[widest]! -= 1;
    over -= 1;
  }
}

const ESCAPE = String.fromCharCode(27);
const [LINE, TAB, RETURN] = ['\n', '\t', '\r'];

/** Controls, what turns the order of characters, and what ends a line without saying so; a colour may follow the first. */
const SIGNS =
  /((?<!\r)\r+\n|[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069])(\[[0-9;]{0,20}m)?/gu;

/**
 * A text of another origin, of several lines, for a terminal. Colours remain. A carriage return that would write over its line begins
 * another one, and what turns the order of characters is named; other controls are left out.
 */
export function forTerminal(text: string): string {
  return text.replace(SIGNS, (_all, sign: string, colour: string | undefined) => shown(sign, colour ?? ''));
}

function shown(sign: string, colour: string): string {
  if (sign === ESCAPE) return colour === '' ? '' : sign + colour;
  return (sign.endsWith(LINE) ? LINE : sign === TAB ? TAB : sign === RETURN ? LINE : named(sign)) + colour;
}

function named(sign: string): string {
  const code = sign.codePointAt(0)!;
  return code < 0xa0 ? '' : `[U+${code.toString(16).toUpperCase().padStart(4, '0')}]`;
}
