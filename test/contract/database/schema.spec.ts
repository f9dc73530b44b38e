import { migrate } from '@proctor/database';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from 'pg';
import { DataSource } from 'typeorm';
import { dataSourceOptions } from '@libs/database/src/kit/data-source';
import { DATABASE_LIMITS } from '@libs/database/src/kit/limits';
import { entitySchema } from '@libs/database/src/schema/entity-schema';
import { MIGRATIONS } from '@libs/database/src/schema/migrations';
import { BASELINE_FOLDER } from '@libs/database/src/schema/migrations/baseline';
import { connectTo, createEmptyDatabase, type TestDatabase } from '@test/support/database';
import { schemaOf } from './migrations';

let empty: TestDatabase;

beforeEach(async () => {
  empty = await createEmptyDatabase();
});
afterEach(() => empty.drop());

async function connected<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = await connectTo(url);
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Does the work as the product connects, with its entities. */
async function withEntities<T>(url: string, work: (source: DataSource) => Promise<T>): Promise<T> {
  const source = await new DataSource(dataSourceOptions(url, DATABASE_LIMITS)).initialize();
  try {
    return await work(source);
  } finally {
    await source.destroy();
  }
}

it('the schema is made once, by one of several processes that migrate at the same time', async () => {
  const ran = await Promise.all([migrate(empty.url), migrate(empty.url), migrate(empty.url)]);
  expect(ran.map((names) => names.length).sort()).toEqual([0, 0, MIGRATIONS.length]);
  expect(await migrate(empty.url)).toEqual([]);
});

it('the schema leaves no lock and no connection behind', async () => {
  await migrate(empty.url);
  const locks = await connected(empty.url, (client) =>
    client.query(`select from pg_locks where locktype = 'advisory' and database =
      (select oid from pg_database where datname = current_database())`),
  );
  expect(locks.rowCount).toBe(0);
});

it('the schema is the one that the entities describe', async () => {
  await migrate(empty.url);
  const missing = await withEntities(empty.url, async (source) => {
    const { upQueries } = await source.driver.createSchemaBuilder().log();
    return upQueries.map(({ query }) => query);
  });
  expect(missing).toEqual([]);
  const described = await createEmptyDatabase();
  try {
    await connected(described.url, async (client) => {
      await client.query(readFileSync(join(BASELINE_FOLDER, 'before-tables.sql'), 'utf8'));
      for (const statement of await withEntities(described.url, entitySchema)) await client.query(statement);
    });
    const schema = await connected(empty.url, schemaOf);
    expect(schema.length).toBeGreaterThan(400);
    expect(schema).toEqual(await connected(described.url, schemaOf));
  } finally {
    await described.drop();
  }
});

it('the schema of before 1.0.0 is refused in plain words, and stays as it is', async () => {
  await connected(empty.url, async (client) => {
    await client.query(`create table migrations (id serial, "timestamp" bigint not null, name varchar not null);
      insert into migrations ("timestamp", name) values (1763640000000, 'FirstSchema1763640000000')`);
    await expect(migrate(empty.url)).rejects.toThrow(
      'the database cannot be migrated: it was made by a version before 1.0.0, and there is no upgrade from that; ' +
        'use a new, empty database',
    );
    const { rows } = await client.query(`select relname from pg_class
      where relnamespace = 'public'::regnamespace and relkind = 'r'`);
    expect(rows).toEqual([{ relname: 'migrations' }]);
  });
});

it('every foreign key to a table that rows are deleted from has an index', async () => {
  await migrate(empty.url);
  // Users are never deleted: their names stand in what they asked for.
  const { rows } = await connected(empty.url, (client) =>
    client.query(`
      select conrelid::regclass::text || ' ' || conname as missing from pg_constraint f
      where contype = 'f' and confrelid <> 'users'::regclass and not exists (
        select from pg_index i where i.indrelid = f.conrelid and (i.indkey::int2[])[0] = f.conkey[1]
      ) order by 1`),
  );
  expect(rows).toEqual([]);
});
