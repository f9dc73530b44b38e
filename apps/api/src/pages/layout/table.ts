import { markup } from './html';
import type { Html, MarkupPart } from './html';

/** A column of a table: what its head and each of its cells show. */
export interface PageColumn<Row> {
  head: MarkupPart;
  /** Of the cells; `number` is the class of the head too. */
  className?: string;
  /** The cells name their rows. */
  isRowHead?: boolean;
  /** What a narrow page shows before a cell, where each row is a card: the head by default; null for nothing. */
  label?: string | null;
  cell: (row: Row) => MarkupPart;
}

export interface TableLook {
  /** It stays a table on narrow pages. */
  isPlain?: boolean;
  /** It is scrolled on its own, by keys too: the name of what is scrolled. */
  region?: string;
  /** Only a part of its rows is seen at once. */
  isTall?: boolean;
}

/** A list on a page. @param columns one that is false is left out */
export function table<Row>(
  caption: string,
  rows: Row[],
  columns: (PageColumn<Row> | false | null | undefined | '')[],
  { isPlain = false, region, isTall = false }: TableLook = {},
): Html {
  const shown = columns.filter((column) => typeof column === 'object' && column !== null);
  const heads = shown.map(
    ({ head, className }) =>
      markup`<th scope="col"${className === 'number' ? markup` class="number"` : null}>${head}</th>\n`,
  );
  const lines = rows.map(
    (row) => markup`<tr>\n${shown.map((column) => cellOf(column, row, isPlain))}</tr>\n`,
  );
  const scrolled = region === undefined ? null : markup` tabindex="0" role="region" aria-label="${region}"`;
  return markup`<div class="scroll${isTall ? ' tall' : null}"${scrolled}>
<table${isPlain ? null : markup` class="cards"`}>
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

function cellOf<Row>(
  { head, className, isRowHead, label, cell }: PageColumn<Row>,
  row: Row,
  isPlain: boolean,
): Html {
  const classed = className === undefined ? null : markup` class="${className}"`;
  if (isRowHead) return markup`<th scope="row"${classed}>${cell(row)}</th>\n`;
  const before = isPlain || label === null ? null : markup` data-label="${label ?? head}"`;
  return markup`<td${before}${classed}>${cell(row)}</td>\n`;
}
