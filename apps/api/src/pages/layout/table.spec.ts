import { markup } from './html';
import { table, type PageColumn } from './table';
import { timeHtml } from './times';

const columns: PageColumn<{ name: string; runs: number | null }>[] = [
  { head: 'Package', isRowHead: true, className: 'name', cell: ({ name }) => markup`<b>${name}</b>` },
  { head: 'Runs', className: 'number', cell: ({ runs }) => runs },
  { head: 'Name', label: null, cell: ({ name }) => name },
];
const rows = [{ name: '<x>', runs: 7 }];

it('a list is a table of its columns, and what rows hold is escaped', () => {
  const { text } = table('By "name"', rows, columns);
  expect(text).toContain('<caption>By &quot;name&quot;</caption>');
  expect(text).toContain('<th scope="col">Package</th>\n<th scope="col" class="number">Runs</th>\n');
  expect(text).toContain(
    '<tr>\n<th scope="row" class="name"><b>&lt;x&gt;</b></th>\n<td data-label="Runs" class="number">7</td>\n<td>&lt;x&gt;</td>\n</tr>',
  );
});

it('a cell without a value is empty, and a column that is false is left out', () => {
  const { text } = table('Runs', [{ name: 'x', runs: null }], [columns[1]!, false]);
  expect(text).toContain('<thead>\n<tr>\n<th scope="col" class="number">Runs</th>\n</tr>\n</thead>');
  expect(text).toContain('<tr>\n<td class="number"></td>\n</tr>');
});

it('on narrow pages the first cell is the heading, and a label stands only before what needs one', () => {
  const at = new Date('2026-11-20T15:40:51Z');
  const { text } = table('Runs', rows, [
    columns[1]!,
    { head: 'Version', cell: ({ name }) => name },
    { head: 'Status', cell: () => markup`<span class="status">fail</span>` },
    { head: 'Ended', cell: () => timeHtml(at) },
    { head: 'Duration', cell: () => '12 s' },
    { head: 'Results', label: 'Of all', cell: () => markup`<b>1</b>` },
  ]);
  const labels = [...text.matchAll(/<td(?: data-label="([^"]*)")?/g)].map(([, label]) => label ?? '');
  expect(labels).toEqual(['', '', '', 'Ended', 'Duration', 'Of all']);
});

it('a table that stays one on narrow pages has no labels, and one that is scrolled on its own has a name', () => {
  const { text } = table('Runs', rows, columns, { isPlain: true, region: 'Runs of <x>' });
  expect(text).toContain(
    '<div class="scroll" tabindex="0" role="region" aria-label="Runs of &lt;x&gt;">\n<table>\n',
  );
  expect(text).not.toContain('data-label');
});
