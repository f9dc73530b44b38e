import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { CannotLoad, Dump, loadDump, openDatabase, type DumpDescription } from '@proctor/database';
import { besideDead, connectTo, createEmptyDatabase, type TestDatabase } from '@test/support/database';
import { generateFinishedRuns } from '@test/generator/finished-runs';
import { ARCH, HALF_LIFE_MS, request } from '../journal.fixture';
import { type Fixture, setUp } from './fixture';
import { addLater, forgetLater } from './migrations';
import { Runs } from './runs';

class Hints1999000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table users add column hint text');
  }

  down(): Promise<void> {
    throw new Error('no test takes it back');
  }
}

let fixture: Fixture;
let target: TestDatabase;
const runs = new Runs(() => fixture);

beforeEach(async () => {
  fixture = await setUp();
  target = await createEmptyDatabase();
});
afterEach(async () => {
  forgetLater();
  await fixture.close();
  await target.drop();
});

/** Everything of a database, as the dump has it. */
async function contents(url: string): Promise<{ description: DumpDescription; tables: Map<string, Buffer> }> {
  const dump = await Dump.open(besideDead(url));
  const tables = new Map<string, Buffer>();
  for (const table of dump.description.tables) tables.set(table.name, await buffer(dump.rows(table)));
  await dump.end();
  return { description: dump.description, tables };
}

const sorted = (rows: Buffer): string[] => rows.toString().split('\n').sort();

const load = (url: string, { description, tables }: Awaited<ReturnType<typeof contents>>) =>
  loadDump(
    besideDead(url),
    description,
    ({ name }): Readable => Readable.from([tables.get(name)!]),
    () => undefined,
  );

it('a dump holds every table as it was at one moment, and brings it back', async () => {
  await generateFinishedRuns(fixture.client, {
    ...{ runs: 300, seed: 3, suites: ['sid'], architectures: ['amd64'], packages: 9 },
    ...{ until: new Date('2026-11-20T12:00:00Z'), days: 100, privateShare: 0.2 },
  });
  await fixture.database.submissions.submit(
    [{ ...somePrivate(), package: 'tab-and\\slash' }],
    fixture.submitter,
  );
  const dump = await Dump.open(fixture.url);
  // What comes later is in no table of it.
  await runs.waiting();
  const files = [];
  const tables = new Map<string, Buffer>();
  for (const table of dump.description.tables) tables.set(table.name, await buffer(dump.rows(table)));
  for await (const each of dump.files()) files.push(each);
  await dump.end();
  const all = await fixture.client.query('select run_id from runs where log_size is not null');
  expect(new Set(files.map(({ runId }) => runId)).size).toBe(all.rowCount);
  expect(files[0]!.names).toContain('log.gz');

  const { firstLostRun, nextRun } = await load(target.url, { description: dump.description, tables });
  const brought = await contents(target.url);
  expect(brought.tables.size).toBe(tables.size);
  for (const [name, rows] of tables)
    expect([name, sorted(brought.tables.get(name)!)]).toEqual([name, sorted(rows)]);
  const database = await openDatabase(target.url);
  try {
    expect(firstLostRun).toBe(Number(await runs.waiting()) - 1);
    const userId = (await database.users.add('eve', { isAdmin: false })).userId;
    expect(userId).toBeGreaterThan(fixture.submitter.userId + 900);
    const [next] = await database.submissions.submit([somePrivate()], fixture.submitter);
    expect(next).toBe(nextRun);
  } finally {
    await database.close();
  }
});

it('a run that waited is found by its dispatcher after its database was brought to another server', async () => {
  const waiting = await runs.waiting();
  const executed = await runs.running();
  await load(target.url, await contents(fixture.url));
  const database = await openDatabase(target.url);
  try {
    const ownership = await database.ownershipRegister.claim(ARCH, 'scheduler-2', 60_000);
    expect(ownership).not.toBeNull();
    const loaded = await database.journal.load(ARCH, HALF_LIFE_MS);
    expect(JSON.stringify(loaded)).toContain(`"runId":${waiting}`);
    expect(JSON.stringify(loaded)).toContain(`"runId":${executed}`);
  } finally {
    await database.close();
  }
});

it('a load that breaks off leaves no part of the rows', async () => {
  const { description, tables } = await contents(fixture.url);
  const { name } = description.tables.at(-1)!;
  tables.set(name, Buffer.from('no row\n'));
  await expect(load(target.url, { description, tables })).rejects.toThrow('"no row"');
  const client = await connectTo(target.url);
  expect((await client.query('select from users')).rowCount).toBe(0);
  await client.end();
});

it('a dump of an earlier version is brought up to this one', async () => {
  const earlier = await contents(fixture.url);
  addLater(Hints1999000000000);
  await load(target.url, earlier);
  const { description } = await contents(target.url);
  expect(description.migrations).toEqual([...earlier.description.migrations, 'Hints1999000000000']);
  expect(description.tables.find(({ name }) => name === 'users')!.columns).toContain('hint');
});

it('a dump of before 1.0.0 is refused in plain words', async () => {
  const dump = await contents(fixture.url);
  dump.description.migrations = ['FirstSchema1763640000000'];
  await expect(load(target.url, dump)).rejects.toThrow(
    new CannotLoad('it was made by a version before 1.0.0, and there is no upgrade from that'),
  );
});

it('a dump is not brought into a database with tables, nor one of a newer version anywhere', async () => {
  const dump = await contents(fixture.url);
  await expect(load(fixture.url, dump)).rejects.toThrow(
    new CannotLoad('the database is not empty: it has a table api_keys'),
  );
  dump.description.migrations.push('Future1999000000000');
  await expect(load(target.url, dump)).rejects.toThrow('this one does not know Future1999000000000');
  const client = await connectTo(target.url);
  expect((await client.query(`select from pg_tables where schemaname = 'public'`)).rowCount).toBe(0);
  await client.end();
});

it('the newest backup and the last restore are known', async () => {
  const { backups } = fixture.database;
  expect(await backups.newest()).toBeNull();
  expect(await backups.lastRestore()).toBeNull();
  await backups.record(new Date('2026-11-20T12:00:00Z'), 12);
  await backups.record(new Date('2026-11-19T12:00:00Z'), 12);
  expect(await backups.newest()).toEqual(new Date('2026-11-20T12:00:00Z'));
  const restore = {
    takenAt: new Date('2026-11-20T12:00:00Z'),
    firstLostRun: 7,
    nextRun: 100_007,
    filesMissing: 2,
  };
  await backups.recordRestore(restore);
  expect(await backups.lastRestore()).toEqual({ ...restore, restoredAt: expect.any(Date) });
});

/** With what the text format of a dump has to escape. */
function somePrivate() {
  return request({ trigger: 'a\tb\\c\nd "é" \\N', isPrivate: true });
}
