import { DatabaseUnavailable, migrate, openDatabase } from '@proctor/database';
import type { Client } from 'pg';
import { DataSource } from 'typeorm';
import { runPending } from '@libs/database/src/schema/migrate';
import { beginSession } from '@libs/database/src/schema/migrating/session';
import { MIGRATIONS } from '@libs/database/src/schema/migrations';
import { NUMERIC_TYPES } from '@libs/database/src/kit/numeric-types';
import {
  connectTo,
  createEmptyDatabase,
  createTestDatabase,
  type TestDatabase,
} from '@test/support/database';
import { narrowIds } from '@test/support/narrow-ids';
import { ARCH, finish, grant, request, start } from '../journal.fixture';
import { withMigrations } from './migrations';

jest.setTimeout(240_000);

let made: TestDatabase;
let client: Client;

async function use(database: Promise<TestDatabase>): Promise<void> {
  made = await database;
  client = await connectTo(made.url);
}

afterEach(async () => {
  await client.end();
  await made.drop();
});

const people = (place: number) => `
  insert into users (name, is_admin) values ('ada${place}', false), ('bob${place}', true);
  insert into api_keys (user_id, name, prefix, key_hash) values (1, 'k', 'p${place}', 'h${place}')`;

/**
 * Finished runs with an attempt each; every third repeats the one before.
 * @param place tells several of them apart
 */
const fill = (count: number, place = 0) => `
  ${people(place)};
  insert into runs (package, suite, arch, backend, variant, priority, pin_packages, extra_apt_sources, is_private,
    requestor_id, api_key_id, retry_of, state, verdict, attempt, taken_in, version, message, worker, created_at,
    updated_at, finished_at)
  select 'p' || n % 50, 'sid', 'amd64', 'b', 'v', 5, '[]', '[]', false, 1, 1, case when n % 3 = 0 then n - 1 end,
    'finished', 'pass', 1, true, '1', 'fine', 'w', '2026-01-01', '2026-01-01', '2026-01-01 02:00'
  from generate_series(${place * count + 1}, ${(place + 1) * count}) n;
  insert into attempts (run_id, attempt, worker, incarnation, slot, epoch, granted_at, ended_at, outcome)
  select run_id, 1, 'w', 'i', 1, 1, '2026-01-01', '2026-01-01 02:00', 'finished' from runs
  where run_id > ${place * count}`;

/** Left by the clients of each schema. */
const ROWS_OF_SCHEMA = 10;

/** All that the catalogue says of the schema, to compare. */
async function schemaOf(of: Client): Promise<unknown[]> {
  const { rows } = await of.query<{ part: string }>(`
    select format('%s.%s %s %s %s', c.relname, attname, format_type(atttypid, atttypmod), attnotnull, attidentity) as part
      from pg_attribute a join pg_class c on c.oid = attrelid
      where relnamespace = 'public'::regnamespace and relkind = 'r' and attnum > 0 and not attisdropped
    union all select format('%s: %s %s', conrelid::regclass, pg_get_constraintdef(oid), convalidated) from pg_constraint
      where connamespace = 'public'::regnamespace and contype <> 'n'
    union all select format('%s: %s', indexrelid::regclass, pg_get_indexdef(indexrelid)) || indisvalid from pg_index
      where indrelid in (select oid from pg_class where relnamespace = 'public'::regnamespace)
    union all select format('%s to %s', seqrelid::regclass, seqmax) from pg_sequence
    union all select format('%s %s', relname, reloptions) from pg_class where relnamespace = 'public'::regnamespace
    union all select tgname from pg_trigger where not tgisinternal
    union all select proname from pg_proc where pronamespace = 'public'::regnamespace
    order by 1`);
  return rows.map(({ part }) => part);
}

let ofNew: Promise<unknown[]> | undefined;

function freshSchema(): Promise<unknown[]> {
  return (ofNew ??= schemaOfNew());
}

async function schemaOfNew(): Promise<unknown[]> {
  const fresh = await createTestDatabase();
  const other = await connectTo(fresh.url);
  try {
    return await schemaOf(other);
  } finally {
    await other.end();
    await fresh.drop();
  }
}

describe('narrow ids', () => {
  beforeEach(async () => {
    await use(createTestDatabase());
    await narrowIds(made.url);
  });

  it('a database of before ids had 64 bits gets the schema of a new one, and keeps its rows', async () => {
    await client.query(fill(2_000));
    const digest = `select md5(string_agg(to_jsonb(r)::text, ',' order by run_id)) as runs from runs r`;
    const { rows: before } = await client.query(digest);
    expect(await migrate(made.url)).toEqual(['RunIds1764550000000', 'OrdersOfRuns1764560000000']);
    expect(await schemaOf(client)).toEqual(await freshSchema());
    expect((await client.query(digest)).rows).toEqual(before);
    expect((await client.query('select from attempts')).rowCount).toBe(2_000);
    const { rows: next } = await client.query(
      `insert into runs (package, suite, arch, backend, variant, priority, pin_packages, extra_apt_sources, is_private,
        requestor_id, api_key_id, created_at, updated_at)
      values ('p', 'sid', 'amd64', 'b', 'v', 5, '[]', '[]', false, 1, 1, now(), now()) returning run_id`,
    );
    expect(next).toEqual([{ run_id: 2_001 }]);
  });

  it('a database of before ids had 64 bits misses nothing that others write meanwhile', async () => {
    // More than one part.
    await client.query(fill(45_000));
    const database = await openDatabase(made.url);
    const busy = { isOver: false };
    const submitted: number[] = [];
    const deleted: number[] = [];
    const submitting = (async () => {
      while (!busy.isOver) {
        const requests = [request(), request({ package: 'other' })];
        const ids = await again(() => database.submissions.submit(requests, { userId: 1, keyId: 1 }));
        submitted.push(...ids);
        const { epoch } = (await database.ownershipRegister.claim(ARCH, 's', 60_000))!;
        const run = ids[0]!;
        await again(() => database.journal.commit(ARCH, epoch, [grant(run, 1), start(run, 1)]));
        await again(() => database.journal.commit(ARCH, epoch, [finish(run, 1)]));
      }
    })();
    const deleting = (async () => {
      for (let runId = 45_000; runId > 0 && !busy.isOver; runId -= 17) {
        await client.query('delete from attempts where run_id = $1', [runId]);
        await client.query('update runs set retry_of = null where retry_of = $1', [runId]);
        await client.query('delete from runs where run_id = $1', [runId]);
        deleted.push(runId);
      }
    })();
    await migrate(made.url);
    busy.isOver = true;
    await Promise.all([submitting, deleting]);
    const all = new Set([...Array.from({ length: 45_000 }, (_, index) => index + 1), ...submitted]);
    for (const runId of deleted) all.delete(runId);
    const { rows } = await client.query<{ run_id: number }>('select run_id from runs order by run_id');
    const { rows: states } = await client.query(
      `select state, count(*) as runs from runs where run_id = any($1) group by state order by state`,
      [submitted],
    );
    const { rows: attempts } = await client.query('select count(*) as attempts from attempts');
    await database.close();
    expect(submitted.length).toBeGreaterThan(10);
    expect(deleted.length).toBeGreaterThan(10);
    expect(rows.map((row) => row.run_id)).toEqual([...all]);
    const half = submitted.length / 2;
    expect(states).toEqual([
      { state: 'finished', runs: half },
      { state: 'queued', runs: half },
    ]);
    expect(attempts).toEqual([{ attempts: 45_000 - deleted.length + half }]);
  });

  it('a database of before ids had 64 bits keeps what others may do with the tables', async () => {
    const role = `reader_${Date.now()}`;
    await client.query(`create role ${role}; grant select, insert on runs to ${role};
      grant usage on sequence runs_run_id_seq to ${role}`);
    try {
      await migrate(made.url);
      const { rows } = await client.query(
        `select has_table_privilege($1, 'runs', 'select') as reads, has_table_privilege($1, 'runs', 'insert') as inserts,
          has_table_privilege($1, 'runs', 'delete') as deletes,
          has_sequence_privilege($1, 'runs_run_id_seq', 'usage') as numbers`,
        [role],
      );
      expect(rows).toEqual([{ reads: true, inserts: true, deletes: false, numbers: true }]);
    } finally {
      await client.query(`drop owned by ${role}; drop role ${role}`);
    }
  });

  it('a database of before ids had 64 bits is refused, and stays, when something hangs on a table that its copy would not have', async () => {
    await client.query('create view mine as select run_id from runs');
    await expect(migrate(made.url)).rejects.toThrow(/The table runs .* would lose the view mine: drop it/);
    await client.query('drop view mine');
    await migrate(made.url);
    expect(await schemaOf(client)).toEqual(await freshSchema());
  });

  it('a database of before ids had 64 bits keeps no client waiting for a transaction that holds a table, and says who holds it', async () => {
    await client.query(people(0));
    const holder = await connectTo(made.url);
    await holder.query(`set application_name = 'a long report'; begin; select from facts`);
    const database = await openDatabase(made.url);
    const migration = migrate(made.url, { lockPatienceMs: 4_000 });
    const refusal = expect(migration).rejects.toThrow(
      /^A table was in use each time.*process \d+ \(a long report, idle in transaction\)/,
    );
    const over = { isTrue: false };
    void migration.catch(() => (over.isTrue = true));
    let submissions = 0;
    for (; !over.isTrue; submissions += 1)
      await database.submissions.submit([request()], { userId: 1, keyId: 1 });
    await refusal;
    await holder.query('rollback');
    await holder.end();
    await database.close();
    // Each try makes others wait for less than half a second; behind the holder itself they would get nowhere.
    expect(submissions).toBeGreaterThan(4);
    await migrate(made.url);
    expect((await client.query('select from runs')).rowCount).toBe(submissions);
    expect(await schemaOf(client)).toEqual(await freshSchema());
  });

  it('a database of before ids had 64 bits gets an index again whose building was broken off', async () => {
    await client.query(`${people(0)};
      insert into orders (arch, kind, actor_id, created_at) select 'amd64', 'pause', 2, now() from generate_series(1, 2)`);
    await expect(
      client.query('create unique index concurrently orders_run on orders (arch)'),
    ).rejects.toThrow(/could not create unique index/);
    await migrate(made.url);
    expect(await schemaOf(client)).toEqual(await freshSchema());
  });
});

/** A plan that is kept for a column of another type costs a transaction its end, once: its user begins it again. */
async function again<T>(work: () => Promise<T>): Promise<T> {
  return work().catch((error: unknown) => {
    if (error instanceof DatabaseUnavailable && error.changed === 'nothing') return work();
    throw error;
  });
}

/** Migrates, and loses its connection for good at a statement. @returns whether it came to its end */
async function brokenOff(url: string, afterStatements: number): Promise<boolean> {
  const options = { type: 'postgres' as const, url, migrations: MIGRATIONS, logger: 'debug' as const };
  const source = await new DataSource({
    ...options,
    poolSize: 1,
    extra: { types: NUMERIC_TYPES },
  }).initialize();
  const runner = source.createQueryRunner();
  const query = runner.query.bind(runner) as (...given: unknown[]) => Promise<unknown>;
  let statements = 0;
  Object.assign(runner, {
    query: async (...given: unknown[]) => {
      statements += 1;
      if (statements > afterStatements) throw new Error('broken off');
      return query(...given);
    },
  });
  try {
    await beginSession(runner, { lockPatienceMs: 10_000 });
    await runPending(source, runner);
    return true;
  } catch (error) {
    if ((error as Error).message !== 'broken off') throw error;
    return false;
  } finally {
    await source.destroy();
  }
}

it('a database with rows of every earlier schema gets the schema of a new one, and keeps them', async () => {
  await use(createEmptyDatabase());
  const names = MIGRATIONS.map(({ name }) => name);
  for (const [place, name] of names.entries()) {
    expect(await migrate(made.url, { upTo: names.slice(0, place + 1) })).toEqual([name]);
    await client.query(fill(ROWS_OF_SCHEMA, place));
  }
  expect(await migrate(made.url)).toEqual([]);
  expect(await schemaOf(client)).toEqual(await freshSchema());
  const count = ROWS_OF_SCHEMA * names.length;
  const { rows } = await client.query(`select (select count(*) from runs) as runs,
    (select count(*) from attempts) as attempts, (select count(*) from users) as users`);
  expect(rows).toEqual([{ runs: count, attempts: count, users: 2 * names.length }]);
});

it('migrations that are broken off again and again, each time a little later, come to their end', async () => {
  await use(createEmptyDatabase());
  await withMigrations(made.url, MIGRATIONS.slice(0, 1), (source) => source.runMigrations());
  await client.query(fill(10));
  let statements = 1;
  // What was completed is passed over by the next, so that each try ends elsewhere.
  while (!(await brokenOff(made.url, statements))) statements += 5;
  expect(statements).toBeGreaterThan(50);
  expect(await schemaOf(client)).toEqual(await freshSchema());
  const { rows } = await client.query(`select (select count(*) from runs) as runs,
    (select count(*) from facts) as facts, (select count(*) from attempts where verdict = 'pass') as attempts,
    (select count(*) from packages) as packages`);
  expect(rows).toEqual([{ runs: 10, facts: 30, attempts: 10, packages: 10 }]);
});

it('every foreign key to a table that rows are deleted from has an index', async () => {
  await use(createTestDatabase());
  // Users are never deleted: their names stand in what they asked for.
  const { rows } = await client.query(`
    select conrelid::regclass::text || ' ' || conname as missing from pg_constraint f
    where contype = 'f' and confrelid <> 'users'::regclass and not exists (
      select from pg_index i where i.indrelid = f.conrelid and (i.indkey::int2[])[0] = f.conkey[1]
    ) order by 1`);
  expect(rows).toEqual([]);
});
