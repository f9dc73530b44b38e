import { migrate } from '@proctor/database';
import { DataSource } from 'typeorm';
import { dataSourceOptions } from '@libs/database/src/kit/data-source';
import { DATABASE_LIMITS } from '@libs/database/src/kit/limits';
import { MIGRATIONS } from '@libs/database/src/schema/migrations';
import { connectTo, createEmptyDatabase, type TestDatabase } from '@test/support/database';
import { takeBack } from './migrations';

let empty: TestDatabase;

beforeEach(async () => {
  empty = await createEmptyDatabase();
});
afterEach(() => empty.drop());

it('the schema is made once, by one of several processes that migrate at the same time', async () => {
  const ran = await Promise.all([migrate(empty.url), migrate(empty.url), migrate(empty.url)]);
  expect(ran.map((names) => names.length).sort()).toEqual([0, 0, MIGRATIONS.length]);
  expect(await migrate(empty.url)).toEqual([]);
});

it('the schema leaves no lock and no connection behind', async () => {
  await migrate(empty.url);
  const client = await connectTo(empty.url);
  const locks = await client.query(`select from pg_locks where locktype = 'advisory' and database =
    (select oid from pg_database where datname = current_database())`);
  await client.end();
  expect(locks.rowCount).toBe(0);
});

it('the schema is the one that the entities describe', async () => {
  await migrate(empty.url);
  const source = await new DataSource(dataSourceOptions(empty.url, DATABASE_LIMITS)).initialize();
  try {
    const { upQueries } = await source.driver.createSchemaBuilder().log();
    expect(upQueries.map((query) => query.query)).toEqual([]);
  } finally {
    await source.destroy();
  }
});

it('the schema can be taken back', async () => {
  await migrate(empty.url);
  await takeBack(empty.url, MIGRATIONS.length);
  expect(await migrate(empty.url)).toHaveLength(MIGRATIONS.length);
});
