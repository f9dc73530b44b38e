import type { PrefixPlace } from '@proctor/database';
import { type Html, markup, type MarkupPart } from './html';
import { table, type PageColumn } from './table';

/** Limit for the tables of one page. A cell is about 15 bytes after compression, so a page stays below 60 kB. */
const CELLS_SHOWN_MAX = 3_400;

/**
 * The first items, as many as fit on one page.
 * @param cellsOf the size of an item, in cells
 */
export function fittingPart<Item>(
  items: Item[],
  cellsOf: (item: Item) => number,
  itemsMax = Infinity,
): Item[] {
  let cells = 0;
  const beyond = items.findIndex((item, index) => {
    cells += cellsOf(item);
    return index >= itemsMax || (index > 0 && cells > CELLS_SHOWN_MAX);
  });
  return beyond === -1 ? items : items.slice(0, beyond);
}

/** Sorts places in the order of the configuration; other names follow, by alphabet. */
export function placesInOrder(
  places: PrefixPlace[],
  { suites, architectures }: { suites: string[]; architectures: string[] },
): MatrixPlace[] {
  const rank = (list: string[], word: string): number =>
    list.includes(word) ? list.indexOf(word) : list.length;
  return places
    .map((place) => ({ ...place, place: `${place.suite}/${place.arch}` }))
    .sort(
      (one, other) =>
        rank(suites, one.suite) - rank(suites, other.suite) ||
        one.suite.localeCompare(other.suite) ||
        rank(architectures, one.arch) - rank(architectures, other.arch) ||
        one.arch.localeCompare(other.arch),
    );
}

/** A column of a matrix: a suite and architecture, and the number of packages that fail there. */
export interface MatrixPlace extends PrefixPlace {
  /** `unstable/amd64` */
  place: string;
}

/** A row of a matrix: a package or a suite with a cell for each place. */
interface MatrixRow<Cell> {
  name: string;
  url: string;
  cells: Cell[];
}

interface MatrixLook<Row> {
  /** The head of the first column. */
  head?: string;
  /** The first cell of a row; by default a link to its page. */
  rowHead?: (row: Row) => MarkupPart;
  /** Class of the cells. */
  cellClass?: string;
  /** Written below the name of a package. */
  below?: (row: Row) => MarkupPart;
  /** Columns after the places. */
  more?: PageColumn<Row>[];
}

/**
 * Packages or suites × places. The heads of rows and columns stay in view while the table scrolls; on narrow pages each row is a
 * block, with the name of the place before each cell that has something.
 */
export function matrix<Cell, Row extends MatrixRow<Cell>>(
  caption: MarkupPart,
  places: MatrixPlace[],
  rows: Row[],
  cellOf: (cell: Cell) => MarkupPart,
  { head = 'Package', rowHead = linkOf, cellClass, below = () => null, more = [] }: MatrixLook<Row> = {},
): Html {
  const hasOneSuite = new Set(places.map(({ suite }) => suite)).size === 1;
  const columns = places.map(({ suite, arch, place, failing }, index) => ({
    head: markup`${hasOneSuite ? null : markup`${suite}<br>`}${arch}<br><span class="dim">${failing} fail</span>`,
    headClass: 'place',
    label: hasOneSuite ? arch : place,
    ...(cellClass === undefined ? {} : { className: cellClass }),
    cell: (row: Row) => cellOf(row.cells[index]!),
  }));
  const first = { head, isRowHead: true, cell: (row: Row) => markup`${rowHead(row)}${below(row)}` };
  return table(caption, rows, [first, ...columns, ...more], {
    isMatrix: true,
    region: `${head}s by place`,
    isTall: true,
  });
}

function linkOf({ name, url }: { name: string; url: string }): Html {
  return markup`<a href="${url}">${name}</a>`;
}
