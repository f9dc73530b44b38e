import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type * as Made from '@libs/database/src/kit/statement';
import { connectTo, createTestDatabase, type TestDatabase } from '@test/support/database';
import { describeStatement, type DescribedColumn } from './describe-statement';

const SOURCES = join(__dirname, '../../../libs/database/src');

// Remembers every statement of the library, wherever it is kept.
jest.mock('@libs/database/src/kit/statement', () => {
  const actual = jest.requireActual<typeof Made>('@libs/database/src/kit/statement');
  const statements: Made.Statement<unknown>[] = [];
  function remember<Row>(statement: Made.Statement<Row>): Made.Statement<Row> {
    statements.push(statement);
    return statement;
  }
  const statement: typeof actual.statement = (columns, text) => remember(actual.statement(columns, text));
  const command: typeof actual.command = (text) => remember(actual.command(text));
  return { ...actual, statement, command, statements };
});

const { statements } = jest.requireMock<{ statements: Made.Statement<unknown>[] }>(
  '@libs/database/src/kit/statement',
);

let testDatabase: TestDatabase;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  for (const file of readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }))
    if (file.endsWith('.ts') && !file.endsWith('.spec.ts')) await import(join(SOURCES, file));
});
afterAll(() => testDatabase.drop());

it('each statement has the columns that its row type says, by name and type', async () => {
  const client = await connectTo(testDatabase.url);
  const wrong: unknown[] = [];
  for (const { text, columns } of statements) {
    const described = await describeStatement(client, text).catch((error: unknown) => error);
    const isThere = Array.isArray(described) ? words(described as DescribedColumn[]) : [String(described)];
    const isDeclared = words(Object.entries(columns).map(([name, { type }]) => ({ name, type })));
    const onlyThere = isThere.filter((word) => !isDeclared.includes(word));
    const onlyDeclared = isDeclared.filter((word) => !isThere.includes(word));
    if (onlyThere.length + onlyDeclared.length > 0) wrong.push({ text, onlyThere, onlyDeclared });
  }
  await client.end();
  expect(wrong).toEqual([]);
  expect(statements.length).toBeGreaterThan(60);
});

it('each statement gives null only where its row type says so, as far as tables show it', async () => {
  const client = await connectTo(testDatabase.url);
  const wrong: string[] = [];
  for (const { text, columns } of statements)
    for (const { name, mayBeNull } of await describeStatement(client, text))
      if (mayBeNull && !columns[name]!.isNullable) wrong.push(`${name} of ${text}`);
  await client.end();
  expect(wrong).toEqual([]);
});

/**
 * PostgreSQL may read what stands behind `in` once for each row of the outer table, and a limit then counts for each
 * reading: the rows of the readings before are gone or locked, so more rows are changed than the limit says. A `with`
 * that locks rows is read once.
 */
it('no statement limits the rows that it locks behind "in"', () => {
  const limited = statements.flatMap(({ text }) => listsBehindIn(text)).filter(isLimitedLock);
  expect(limited).toEqual([]);
  const old = 'select id from t where age > 9 order by age limit 3 for update skip locked';
  expect(listsBehindIn(`delete from t where (id) in (${old}) or id in (select max(id) from t)`)).toEqual([
    old,
    'select max(id) from t',
  ]);
  expect(isLimitedLock(old)).toBe(true);
});

function listsBehindIn(text: string): string[] {
  return [...text.matchAll(/\bin\s*\(\s*(?=select\b)/g)].map(({ 0: opening, index }) => {
    const begin = index + opening.length;
    let end = begin;
    for (let depth = 1; depth > 0 && end < text.length; end += 1)
      depth += Number(text[end] === '(') - Number(text[end] === ')');
    return text.slice(begin, end - 1);
  });
}

function isLimitedLock(text: string): boolean {
  return /\blimit\b/.test(text) && /\bfor (no key )?update\b/.test(text);
}

function words(columns: { name: string; type: string }[]): string[] {
  return columns.map(({ name, type }) => `${name} ${type}`);
}
