import { createHash } from 'node:crypto';
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { removedBy } from '@proctor/contracts';
import { openDatabase } from '@proctor/database';
import { importDebci, type DebciOptions } from '@apps/cli/src/import/debci';
import { startApi, type RunningApi } from '@test/support/api';
import { connectTo, createTestDatabase, type TestDatabase } from '@test/support/database';
import { DEBCI_KEYS, generateDebci } from '@test/generator/debci';
import type { Client } from 'pg';

const JOBS = 3_000;
const PENDING = 20;
const OPTIONS: DebciOptions = { files: 'none', backend: 'lxc' };

let folder: string;
let own: TestDatabase;
let client: Client;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'proctor-debci-'));
  await generateDebci(folder, { jobs: JOBS, pending: PENDING, filesEvery: 500 });
});
afterAll(() => rm(folder, { recursive: true }));

beforeEach(async () => {
  own = await createTestDatabase();
  client = await connectTo(own.url);
  process.env['PROCTOR_DATABASE_URL'] = own.url;
  jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  jest.spyOn(console, 'error').mockReturnValue(undefined);
});
afterEach(async () => {
  jest.restoreAllMocks();
  delete process.env['PROCTOR_DATABASE_URL'];
  await client.end();
  await own.drop();
});

async function counts(): Promise<Record<string, number>> {
  const { rows } = await client.query<Record<string, number>>(`select
    (select count(*) from runs) as runs, (select count(*) from attempts) as attempts,
    (select count(*) from users) as users, (select count(*) from api_keys) as keys`);
  return Object.fromEntries(Object.entries(rows[0]!).map(([name, value]) => [name, Number(value)]));
}

it('all that a debci knew is here afterwards, under its own ids, and once however often it is imported', async () => {
  await importDebci(folder, { ...OPTIONS, pending: 'requeue' });
  const all = { runs: JOBS, attempts: JOBS - PENDING, users: 4, keys: 4 };
  expect(await counts()).toEqual(all);
  await importDebci(folder, { ...OPTIONS, pending: 'requeue' });
  expect(await counts()).toEqual(all);
  const { rows } = await client.query(
    'select * from runs where run_id in (11, 17, 29, 3000) order by run_id',
  );
  expect(rows).toMatchObject([
    {
      pin_packages: [['src:glibc,libc6', 'unstable']],
      state: 'finished',
      worker: expect.stringMatching(/^ci-worker/),
    },
    { trigger: 'glibc/2.40-1, "quoted"\nand a second line', backend: 'qemu' },
    { priority: 1 },
    { state: 'queued', verdict: null, attempt: 0, finished_at: null },
  ]);
  const { rows: tmpfail } = await client.query(
    `select distinct version, exit_code, message from runs where verdict = 'tmpfail'`,
  );
  expect(tmpfail).toEqual([
    { version: 'n/a', exit_code: 20, message: 'Unexpected autopkgtest exit code 20' },
  ]);
  const { rows: next } = await client.query(`select nextval('runs_run_id_seq')::integer as id`);
  expect(next).toEqual([{ id: JOBS + 1 }]);
});

it('runs that a rule has removed here are not imported again', async () => {
  await importDebci(folder, { ...OPTIONS, pending: 'leave' });
  const removed = [11, 17, 29];
  const database = await openDatabase(own.url);
  try {
    const rule = removedBy('facts and attempts', 1);
    await client.query(
      'update runs set log_size = null, artifacts_size = null, finished_at = created_at where run_id = any($1)',
      [removed],
    );
    expect(await database.expiry.removeStories(removed, rule)).toBe(removed.length);
    expect(await database.expiry.removeRuns(removed, removedBy('runs', 2))).toBe(removed.length);
  } finally {
    await database.close();
  }
  await importDebci(folder, { ...OPTIONS, pending: 'leave' });
  expect(await counts()).toMatchObject({ runs: JOBS - PENDING - removed.length });
});

it('what waits becomes what was said, and nothing is written before it was said', async () => {
  await expect(importDebci(folder, OPTIONS)).rejects.toThrow(
    '20 jobs have not finished; nothing was written',
  );
  expect(await counts()).toMatchObject({ runs: 0, users: 0 });
  await importDebci(folder, { ...OPTIONS, pending: 'leave' });
  expect(await counts()).toMatchObject({ runs: JOBS - PENDING });
  const output = jest.spyOn(process.stdout, 'write');
  output.mockClear();
  await importDebci(folder, { ...OPTIONS, pending: 'cancel', json: true });
  expect(JSON.parse(output.mock.calls.map(([text]) => String(text)).join(''))).toMatchObject({
    runs: { added: PENDING, present: JOBS - PENDING },
  });
  const { rows } = await client.query(
    `select count(*)::integer as n from runs where cancelled and verdict = 'tmpfail'`,
  );
  expect(rows).toEqual([{ n: PENDING }]);
});

it('rows that cannot be are refused with file, line, column and value, and nothing was written', async () => {
  const broken = await mkdtemp(join(tmpdir(), 'proctor-debci-'));
  await generateDebci(broken, { jobs: 50 });
  const path = join(broken, 'jobs.csv');
  const rows = (await readFile(path, 'utf8'))
    .replace(',fail,', ',perhaps,')
    .replace('2024-01-01 00:01:00.000', 'yesterday');
  await writeFile(path, rows);
  await appendFile(path, 'x,y\n');
  const refusal = await importDebci(broken, OPTIONS).catch((error: Error) => error.message);
  expect(refusal).toMatch(/^3 rows cannot be imported; nothing was written/);
  expect(refusal).toMatch(
    /jobs\.csv:\d+: status must be one of pass, neutral, fail, tmpfail, or empty, not "perhaps"/,
  );
  expect(refusal).toMatch(/jobs\.csv:\d+: created_at must be a time, not "yesterday"/);
  expect(refusal).toMatch(/jobs\.csv:\d+: there are 2 fields, and 25 columns/);
  expect(await counts()).toMatchObject({ runs: 0, users: 0 });
  await rm(broken, { recursive: true });
});

it('an id that is taken, and a name that belongs to another, are refused', async () => {
  await client.query(`insert into users (name, is_admin) values ('elbrus', true)`);
  await expect(importDebci(folder, { ...OPTIONS, pending: 'leave' })).rejects.toThrow(
    'users.csv:3: username: there is a user elbrus here already',
  );
  await client.query(`insert into api_keys (user_id, name, prefix, key_hash) values (1, 'x', 'x', 'x');
    insert into runs (run_id, package, suite, arch, backend, variant, priority, pin_packages, extra_apt_sources, is_private,
      requestor_id, api_key_id, created_at, updated_at)
    values (7, 'other', 'sid', 'amd64', 'b', 'v', 5, '[]', '[]', false, 1, 1, now(), now())`);
  await expect(importDebci(folder, { ...OPTIONS, pending: 'leave', sameUsers: true })).rejects.toThrow(
    'run 7 is another run here: its id is not free',
  );
});

it('an export of 3.x, which lacks columns, is imported as well', async () => {
  const old = await mkdtemp(join(tmpdir(), 'proctor-debci-'));
  await generateDebci(old, { jobs: 100, isOld: true });
  await importDebci(old, OPTIONS);
  const { rows } = await client.query(
    `select count(*)::integer as n, min(priority) as priority, array_agg(distinct backend) as backends from runs`,
  );
  expect(rows).toEqual([{ n: 100, priority: 5, backends: ['lxc', 'qemu'] }]);
  await rm(old, { recursive: true });
});

it('an import that was killed in the middle goes on where it was', async () => {
  await client.query('create table slow (n integer)');
  await client.query(`create function wait_a_little() returns trigger language plpgsql as
    $$ begin if new.run_id = 1500 then perform pg_advisory_lock_shared(42); end if; return new; end $$`);
  await client.query(
    'create trigger slow before insert on runs for each row execute function wait_a_little()',
  );
  await client.query('select pg_advisory_lock(42)');
  const command = ['bin/proctor.mjs', 'import', 'debci', folder, '--pending', 'leave', '--files', 'none'];
  const options = { cwd: join(__dirname, '../../..'), stdio: 'ignore', env: { ...process.env } } as const;
  const child = spawn(process.execPath, command, options);
  const exited = once(child, 'exit');
  const waits = async (): Promise<number> =>
    (
      await client.query(
        `select from pg_stat_activity where datname = current_database() and wait_event = 'advisory'`,
      )
    ).rowCount!;
  while ((await waits()) === 0) if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}`);
  child.kill('SIGKILL');
  await exited;
  await client.query('select pg_advisory_unlock(42)');
  await client.query('drop trigger slow on runs');
  const { runs } = await counts();
  expect(runs).toBeGreaterThan(0);
  expect(runs! % 1_000).toBe(0);
  expect(runs).toBeLessThan(JOBS - PENDING);
  await importDebci(folder, { ...OPTIONS, pending: 'leave' });
  expect(await counts()).toMatchObject({ runs: JOBS - PENDING, attempts: JOBS - PENDING, users: 4 });
});

describe('by HTTP', () => {
  let api: RunningApi;
  beforeEach(async () => {
    api = await startApi();
    process.env['PROCTOR_DATABASE_URL'] = api.databaseUrl;
  });
  afterEach(() => api.stop());

  it('every client keeps its key, its runs and its history', async () => {
    await importDebci(folder, { ...OPTIONS, pending: 'leave', issuer: 'https://salsa.debian.org' });
    const key = DEBCI_KEYS['1']!;
    const checked = await api.api('/auth', {}, key);
    expect([checked.status, checked.headers.get('auth-user')]).toEqual([200, 'britney']);
    const { results } = (await (await api.api('/test?since=0', {}, key)).json()) as {
      results: { run_id: number }[];
    };
    const ids = Array.from({ length: JOBS - PENDING }, (_none, place) => place + 1).filter(
      (id) => 1 + (id % 3) === 1,
    );
    expect(results.map(({ run_id }) => run_id).sort((a, b) => a - b)).toEqual(ids);
    for (const id of [3, 11, 1500, 2979])
      expect([id, (await api.api(`/test/${id}`, {}, DEBCI_KEYS[String(1 + (id % 3))])).status]).toEqual([
        id,
        200,
      ]);
    const one = (await (await api.api('/test/12', {}, key)).json()) as Record<string, string>;
    const place = `${one['suite']}/${one['arch']}/${one['package']!.startsWith('lib') ? one['package']!.slice(0, 4) : 'p'}/${one['package']}`;
    const history = await (await api.fetch(`/data/packages/${place}/history.json`)).json();
    expect(history).toContainEqual(
      expect.objectContaining({ run_id: 12, trigger: one['trigger'], version: one['version'] }),
    );
    const { rows } = await connected(api.databaseUrl, (of) =>
      of.query('select key_hash from api_keys where key_hash = $1', [
        createHash('sha256').update(key).digest('hex'),
      ]),
    );
    expect(rows).toHaveLength(1);
    expect((await api.api('/auth', {}, key)).status).toBe(200);
  });
});

async function connected<T>(url: string, work: (of: Client) => Promise<T>): Promise<T> {
  const of = await connectTo(url);
  try {
    return await work(of);
  } finally {
    await of.end();
  }
}
