import { Html, markup } from './html';
import type { MarkupPart } from './html';

/** A column of a table: its head and its cells. */
export interface PageColumn<Row> {
  head: MarkupPart;
  /** Class of the cells; the head also gets the class `number`. */
  className?: string;
  /** Class of the head alone. */
  headClass?: string;
  /** Whether the cells are the heads of their rows. */
  isRowHead?: boolean;
  /**
   * Label before the cell on narrow pages, where a row has a line or two; null for none. By default the head, before
   * numbers, times and other plain values.
   */
  label?: string | null;
  cell: (row: Row) => MarkupPart;
}

interface TableLook {
  /** Keeps the table on narrow pages, instead of cards. */
  isPlain?: boolean;
  /** Keeps the heads of rows and columns in view, with small cells between them; see `matrix`. */
  isMatrix?: boolean;
  /** Makes the table scroll on its own, also with keys. The value is its name for screen readers. */
  region?: string;
  /** Limits the height of a table that scrolls. */
  isTall?: boolean;
}

/** Writes a table. @param columns empty values such as false are left out */
export function table<Row>(
  caption: MarkupPart,
  rows: Row[],
  columns: (PageColumn<Row> | false | null | undefined | '')[],
  { isPlain = false, isMatrix = false, region, isTall = false }: TableLook = {},
): Html {
  const present = columns.filter((column) => typeof column === 'object' && column !== null);
  const heads = present.map(
    ({ head, className, headClass = className === 'number' ? className : undefined }) =>
      markup`<th scope="col"${classed(headClass)}>${head}</th>\n`,
  );
  const lines = rows.map(
    (row) =>
      markup`<tr>\n${present.map((column, place) => cellOf(column, row, !isPlain && place > 0))}</tr>\n`,
  );
  const scrolled = region === undefined ? null : markup` tabindex="0" role="region" aria-label="${region}"`;
  return markup`<div class="scroll${isTall ? ' tall' : null}"${scrolled}>
<table${isPlain ? null : markup` class="${isMatrix ? 'grid' : 'cards'}"`}>
<caption>${caption}</caption>
<thead>
<tr>
${heads}</tr>
</thead>
<tbody>
${lines}</tbody>
</table>
</div>
`;
}

function cellOf<Row>(column: PageColumn<Row>, row: Row, mayHaveLabel: boolean): Html {
  const { className, isRowHead, cell } = column;
  const content = cell(row);
  if (isRowHead) return markup`<th scope="row"${classed(className)}>${content}</th>\n`;
  const label = mayHaveLabel ? labelOf(column, content) : null;
  const before = label === null ? null : markup` data-label="${label}"`;
  return markup`<td${before}${classed(className)}>${content}</td>\n`;
}

/** Heads of values that explain themselves. */
const CLEAR = [
  'Package',
  'Suite',
  'Architecture',
  'Place',
  'Version',
  'Date',
  'Day',
  'Time',
  'Message',
  'Reason',
  'Detail',
  'Why',
  'Event',
  'State',
  'Standing',
  'What holds it back',
  'Waiting because',
];

function labelOf<Row>({ head, label, className }: PageColumn<Row>, content: MarkupPart): MarkupPart {
  if (label !== undefined) return label;
  if (className === 'number') return head;
  const isMarked = content instanceof Html && !content.text.startsWith('<time');
  return isMarked || CLEAR.includes(String(head)) ? null : head;
}

function classed(name: string | undefined): Html | null {
  return name === undefined ? null : markup` class="${name}"`;
}
