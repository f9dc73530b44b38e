import { ago, formatTable, plain, span, type TableColumn } from './table';

interface Row {
  name: string;
  count: number;
  at: Date | null;
  why: string | null;
}

const COLUMNS: TableColumn<Row>[] = [
  { head: 'NAME', of: (row) => row.name },
  { head: 'COUNT', of: (row) => row.count },
  { head: 'AT', of: (row) => row.at },
  { head: 'WHY', of: (row) => row.why, isCut: true },
];
const ROWS: Row[] = [
  { name: 'one', count: 1, at: new Date('2026-11-20T10:00:00Z'), why: 'a\treason\nof two lines' },
  { name: 'another', count: 12, at: null, why: null },
];

beforeEach(() => jest.useFakeTimers({ now: new Date('2026-11-20T13:00:00Z') }));
afterEach(() => jest.useRealTimers());

it('a table has heads, aligned columns and times in words on a terminal', () => {
  expect(formatTable(ROWS, COLUMNS, { isTerminal: true, width: 80 }).split('\n')).toEqual([
    'NAME     COUNT  AT       WHY',
    'one          1  3 h ago  a reason of two lines',
    'another     12  -        -',
    '',
  ]);
});

it('a table is cut to the width of the terminal where its columns allow that', () => {
  const lines = formatTable(ROWS, COLUMNS, { isTerminal: true, width: 36 }).split('\n');
  expect(lines[1]).toBe('one          1  3 h ago  a reason o…');
  const narrow = formatTable(ROWS, COLUMNS, { isTerminal: true, width: 5 }).split('\n');
  expect(narrow[1]).toBe('one          1  3 h ago  a reaso…');
});

it('a table is whole in a pipe: one row a line, tabs between, nothing else', () => {
  expect(formatTable(ROWS, COLUMNS, { isTerminal: false, width: 10 })).toBe(
    'one\t1\t2026-11-20T10:00:00.000Z\ta reason of two lines\nanother\t12\t\t\n',
  );
});

it('a text of another origin cannot move the cursor, change colours or end a line', () => {
  const escape = String.fromCharCode(27);
  expect(plain(`a${escape}[2J\u009b31mb\r\n\u2028c\u007f`)).toBe('a [2J 31mb c ');
});

it.each([
  [0, '0 s'],
  [119, '119 s'],
  [120, '2 min'],
  [7_199, '120 min'],
  [7_200, '2 h'],
  [172_800, '2 d'],
])('%i seconds are written as %s', (seconds, text) => {
  expect(span(seconds)).toBe(text);
});

it('a time to come is written as such', () => {
  expect(ago(new Date('2026-11-20T13:10:00Z'))).toBe('in 10 min');
});
