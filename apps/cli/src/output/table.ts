/** A null is shown as an empty cell. A terminal shows a time in words. */
export type TableCell = string | number | Date | null;

export interface TableColumn<Row> {
  head: string;
  of: (row: Row) => TableCell;
  /** If the table is too wide for the terminal, this column is cut. */
  isCut?: boolean;
}

/** The properties of the output that decide how a table looks. */
interface OutputPlace {
  isTerminal: boolean;
  /** Width of the terminal in characters. */
  width: number;
}

const GAP = '  ';
const CUT_WIDTH_MIN = 8;

/**
 * Formats rows: on a terminal in columns below heads, else separated by tabs and without heads. Each line ends with a
 * newline.
 */
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

/** The properties of standard output, with 80 columns if it is no terminal. */
export function outputPlace(): OutputPlace {
  return { isTerminal: process.stdout.isTTY === true, width: process.stdout.columns ?? 80 };
}

/** Puts a text of other origin on one line, without characters that move the cursor or change colours. */
export function plain(text: string): string {
  return forTerminal(text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' '));
}

/** Describes how long ago a time was, or how long until it comes, in one unit. */
export function ago(time: Date, now = Date.now()): string {
  const seconds = Math.round((now - time.getTime()) / 1000);
  return seconds < 0 ? `in ${span(-seconds)}` : `${span(seconds)} ago`;
}

const UNITS: [string, number][] = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
];

/** Describes a length of time, in the largest unit that fits at least twice. */
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

/** Narrows the widest column that may be cut, until the line fits or no column can be narrowed further. */
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

/**
 * Control characters, characters that change the direction of text, and unusual line ends; an escape may begin a
 * colour.
 */
const SIGNS =
  /((?<!\r)\r+\n|[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069])(\[[0-9;]{0,20}m)?/gu;

/**
 * Makes a text of other origin, with several lines, safe for a terminal. Colours remain. A carriage return that would
 * overwrite its line starts a new one, characters that change the direction of text are replaced by their names, and
 * other control characters are removed.
 */
export function forTerminal(text: string): string {
  return text.replace(SIGNS, (_all, sign: string, colour: string | undefined) =>
    visibleSign(sign, colour ?? ''),
  );
}

function visibleSign(sign: string, colour: string): string {
  if (sign === ESCAPE) return colour === '' ? '' : sign + colour;
  return (sign.endsWith(LINE) ? LINE : sign === TAB ? TAB : sign === RETURN ? LINE : signName(sign)) + colour;
}

function signName(sign: string): string {
  const code = sign.codePointAt(0)!;
  return code < 0xa0 ? '' : `[U+${code.toString(16).toUpperCase().padStart(4, '0')}]`;
}
