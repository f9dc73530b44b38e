import { DataSource } from 'typeorm';
import { DATABASE_LIMITS, DatabaseUnavailable } from '@proctor/database';
import { dataSourceOptions } from '@libs/database/src/kit/data-source';
import { Database } from '@libs/database/src/kit/database';
import { bigint, integer, statement, texts } from '@libs/database/src/kit/statement';
import { type Fixture, setUp } from './fixture';

const PREPARED = statement(
  { names: texts },
  'select coalesce(array_agg(name), array[]::text[]) as names from pg_prepared_statements',
);
const NUMBERS = statement({ number: integer }, 'select number from numbers where number >= $1').asPrepared;
const DIVIDE = statement({ quotient: integer }, 'select 1 / $1::integer as quotient');
const INSERT = statement({ number: bigint }, 'insert into numbers values ($1) returning number');

let fixture: Fixture;
let dataSource: DataSource;
let database: Database;

beforeAll(async () => (fixture = await setUp()));
afterAll(() => fixture.close());

beforeEach(async () => {
  await fixture.client.query('create table numbers (number integer); insert into numbers values (7)');
  const limits = { ...DATABASE_LIMITS, connectionsMax: 1 };
  dataSource = await new DataSource(dataSourceOptions(fixture.url, limits)).initialize();
  database = new Database(dataSource, limits);
});
afterEach(async () => {
  await dataSource.destroy();
  await fixture.client.query('drop table numbers');
});

/** Gets the outcome of a failure after others. */
async function later<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } finally {
    await Promise.resolve();
  }
}

const preparedNames = async () => (await database.query(PREPARED))[0]!.names;

it('a prepared statement is kept by its connection, and others are not', async () => {
  await database.query(NUMBERS, [1]);
  await database.query(NUMBERS, [2]);
  expect(await preparedNames()).toEqual([`${NUMBERS.name}_0`]);
});

it('a prepared statement is prepared again when a column has another type now', async () => {
  await database.query(NUMBERS, [1]);
  await fixture.client.query('alter table numbers alter number type bigint');
  expect(await database.query(NUMBERS, [1])).toEqual([{ number: 7 }]);
  expect(await preparedNames()).toContain(`${NUMBERS.name}_1`);
});

it('a prepared statement costs a transaction its end once, which may be begun again, and no other connection', async () => {
  await database.query(NUMBERS, [1]);
  await fixture.client.query('alter table numbers alter number type bigint');
  const readNumber = () => database.transaction((transaction) => transaction.query(NUMBERS, [1]));
  const failure: unknown = await readNumber().catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(DatabaseUnavailable);
  expect(failure).toMatchObject({ extent: 'nothing' });
  expect(await readNumber()).toEqual([{ number: 7 }]);
});

it('statements of a transaction that are sent together are executed in their order', async () => {
  const rows = await database.transaction((transaction) =>
    Promise.all([8, 9].map((number) => transaction.query(INSERT, [number]))),
  );
  expect(rows).toEqual([[{ number: 8 }], [{ number: 9 }]]);
});

it('statements of a transaction that are sent together change nothing when one of them fails, and leave the connection of use', async () => {
  const work = database.transaction((transaction) =>
    Promise.all([
      transaction.query(INSERT, [8]),
      later(transaction.query(DIVIDE, [0])),
      transaction.query(INSERT, [9]),
    ]),
  );
  await expect(work).rejects.toThrow('division by zero');
  expect(await database.query(NUMBERS, [0])).toEqual([{ number: 7 }]);
});
