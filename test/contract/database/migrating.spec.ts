import { migrate, openDatabase } from '@proctor/database';
import type { Client } from 'pg';
import { DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';
import { runPending } from '@libs/database/src/schema/migrate';
import { prepareSession, briefly } from '@libs/database/src/schema/session';
import { buildIndexes, inBatches, validateConstraints } from '@libs/database/src/schema/steps';
import { MIGRATIONS } from '@libs/database/src/schema/migrations';
import { NUMERIC_TYPES } from '@libs/database/src/kit/numeric-types';
import { connectTo, createTestDatabase, type TestDatabase } from '@test/support/database';
import { request } from '../journal.fixture';
import { addLater, forgetLater, schemaOf } from './migrations';

/** Shows each kind of step: a column that all rows get, a constraint that they are checked by, and an index. */
class Weights1999000000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // In two steps: with the default, the column would be written into every row.
    await briefly(runner, ['runs', 'facts'], async () => {
      await runner.query('alter table runs add column if not exists weight integer');
      await runner.query('alter table runs alter column weight set default 0');
      await runner.query('alter table runs drop constraint if exists runs_weight_check');
      await runner.query(
        'alter table runs add constraint runs_weight_check check (weight is not null) not valid',
      );
    });
    await inBatches(runner, 'runs', 'run_id', (from, to) =>
      runner.query('update runs set weight = 1 where run_id > $1 and run_id <= $2 and weight is null', [
        from,
        to,
      ]),
    );
    await validateConstraints(runner, ['runs']);
    await buildIndexes(runner, ['create index runs_weight on runs (weight, run_id)']);
  }

  down(): Promise<void> {
    throw new Error('no test takes it back');
  }
}

let testDatabase: TestDatabase;
let client: Client;

beforeEach(async () => {
  testDatabase = await createTestDatabase();
  client = await connectTo(testDatabase.url);
  await client.query(`insert into users (name, is_admin) values ('ada', false);
    insert into api_keys (user_id, name, prefix, key_hash) values (1, 'k', 'p', 'h')`);
  addLater(Weights1999000000000);
});
afterEach(async () => {
  forgetLater();
  await client.end();
  await testDatabase.drop();
});

const fill = (count: number) => `
  insert into runs (package, suite, arch, backend, variant, priority, pin_packages, extra_apt_sources, is_private,
    requestor_id, api_key_id, created_at, updated_at)
  select 'p' || n % 50, 'sid', 'amd64', 'b', 'v', 5, '[]', '[]', false, 1, 1, '2026-01-01', '2026-01-01'
  from generate_series(1, ${count}) n`;

const submitter = { userId: 1, keyId: 1 };

async function weights(): Promise<unknown[]> {
  return (await client.query('select weight, count(*) as runs from runs group by 1 order by 1')).rows;
}

/** The schema of a database that was migrated without other clients. */
async function undisturbed(): Promise<string[]> {
  forgetLater();
  const other = await createTestDatabase();
  addLater(Weights1999000000000);
  const otherClient = await connectTo(other.url);
  try {
    await migrate(other.url);
    return await schemaOf(otherClient);
  } finally {
    await otherClient.end();
    await other.drop();
  }
}

it('a migration misses no row that others write meanwhile', async () => {
  // More than one batch.
  await client.query(fill(45_000));
  const database = await openDatabase(testDatabase.url);
  const busy = { isOver: false };
  let submitted = 0;
  const submitting = (async () => {
    for (; !busy.isOver; submitted += 1) await database.submissions.submit([request()], submitter);
  })();
  expect(await migrate(testDatabase.url)).toEqual(['Weights1999000000000']);
  busy.isOver = true;
  await submitting;
  await database.close();
  expect(submitted).toBeGreaterThan(10);
  const { rows } = await client.query('select count(*) as runs from runs where weight is not null');
  expect(rows).toEqual([{ runs: 45_000 + submitted }]);
  expect(await schemaOf(client)).toEqual(await undisturbed());
});

it('a migration keeps no client waiting for a transaction that holds a table, and says who holds it', async () => {
  const holder = await connectTo(testDatabase.url);
  await holder.query(`set application_name = 'a long report'; begin; select from facts`);
  const database = await openDatabase(testDatabase.url);
  const migration = migrate(testDatabase.url, { lockPatienceMs: 10_000 });
  const refusal = expect(migration).rejects.toThrow(
    /^A table was in use each time.*process \d+ \(a long report, idle in transaction\)/,
  );
  const over = { isTrue: false };
  void migration.catch(() => (over.isTrue = true));
  let submissions = 0;
  for (; !over.isTrue; submissions += 1) await database.submissions.submit([request()], submitter);
  await refusal;
  await holder.query('rollback');
  await holder.end();
  await database.close();
  // Each try makes others wait for less than half a second; behind the holder itself they would get nowhere.
  expect(submissions).toBeGreaterThan(4);
  await migrate(testDatabase.url);
  expect(await weights()).toEqual([{ weight: 1, runs: submissions }]);
  expect(await schemaOf(client)).toEqual(await undisturbed());
});

it('a migration builds an index again whose building was broken off', async () => {
  await client.query(fill(2));
  await expect(client.query('create unique index concurrently runs_weight on runs (arch)')).rejects.toThrow(
    /could not create unique index/,
  );
  await migrate(testDatabase.url);
  expect(await schemaOf(client)).toEqual(await undisturbed());
});

/** Migrates, and loses its connection for good at a statement. @returns whether it came to its end */
async function brokenOff(url: string, afterStatements: number): Promise<boolean> {
  const source = await new DataSource({
    ...{ type: 'postgres', url, migrations: MIGRATIONS, logger: 'debug', poolSize: 1 },
    extra: { types: NUMERIC_TYPES },
  }).initialize();
  const runner = source.createQueryRunner();
  const query = runner.query.bind(runner) as (...parameters: unknown[]) => Promise<unknown>;
  let statements = 0;
  Object.assign(runner, {
    query: async (...parameters: unknown[]) => {
      statements += 1;
      if (statements > afterStatements) throw new Error('broken off');
      return query(...parameters);
    },
  });
  try {
    await prepareSession(runner, { lockPatienceMs: 10_000 });
    await runPending(source, runner);
    return true;
  } catch (error) {
    if ((error as Error).message !== 'broken off') throw error;
    return false;
  } finally {
    await source.destroy();
  }
}

it('a migration that is broken off again and again, each time a little later, comes to its end', async () => {
  await client.query(fill(10));
  let statements = 1;
  while (!(await brokenOff(testDatabase.url, statements))) statements += 1;
  expect(statements).toBeGreaterThan(20);
  expect(await schemaOf(client)).toEqual(await undisturbed());
  expect(await weights()).toEqual([{ weight: 1, runs: 10 }]);
});
