import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createGunzip } from 'node:zlib';
import { removedBy } from '@proctor/contracts';
import { FolderStore } from '@proctor/store';
import { ownConfiguration } from '@apps/cli/src/configuration';
import { importCloud } from '@apps/cli/src/import/cloud';
import { importDebci } from '@apps/cli/src/import/debci';
import { generateDebci } from '@test/generator/debci';
import { type Fixture, setUp } from './fixture';

let fixture: Fixture;
let folder: string;
let output: string;

beforeEach(async () => {
  fixture = await setUp();
  folder = await mkdtemp(join(tmpdir(), 'proctor-moving-in-'));
  // The servers' user may go into a home, which this does not use.
  await chmod(folder, 0o711);
  process.env['PROCTOR_HOME'] = folder;
  process.env['PROCTOR_DATABASE_URL'] = fixture.url;
  output = '';
  jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  jest.spyOn(console, 'error').mockImplementation((line) => {
    output += `${String(line)}\n`;
  });
});
afterEach(async () => {
  jest.restoreAllMocks();
  delete process.env['PROCTOR_HOME'];
  delete process.env['PROCTOR_DATABASE_URL'];
  await fixture.close();
  await rm(folder, { recursive: true });
});

const lines = (rows: object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

/** As sqlite3 writes a row of autopkgtest-cloud's `result`. */
function result(nth: number, changes: object = {}) {
  const triggers = 'glibc/2.40-1 hello/1.0-1';
  return {
    ...{ test_id: 1 + (nth % 2), run_id: `20260102_03040${nth}_ab12c@`, version: `1.${nth}-1`, triggers },
    ...{ duration: 60, exitcode: [0, 2, 4, 8, 16][nth % 5]!, requester: nth % 3 ? 'ada-b' : null, env: null },
    ...changes,
  };
}

it('of two imports at the same time one says that the other goes on, and writes nothing', async () => {
  await writeFile(
    join(folder, 'test.ndjson'),
    lines([{ id: 1, release: 'noble', arch: 'amd64', package: 'hello' }]),
  );
  await writeFile(join(folder, 'result.ndjson'), lines([result(0, { test_id: 1 })]));
  await fixture.database.imports.alone(() =>
    expect(importCloud(folder, { backend: 'lxd' })).rejects.toMatchObject({
      message: 'another import goes on at this moment',
      code: 75,
    }),
  );
  const { rows } = await fixture.client.query('select from runs');
  expect(rows).toEqual([]);
  await importCloud(folder, { backend: 'lxd' });
});

it('a file of autopkgtest-cloud that is not there is named', async () => {
  await expect(importCloud(folder, { backend: 'lxd' })).rejects.toThrow(/^\S+\/test\.ndjson is not there$/);
});

it('results of autopkgtest-cloud are imported once, with numbers of their own, and what is new later', async () => {
  await writeFile(
    join(folder, 'test.ndjson'),
    lines([
      { id: 1, release: 'noble', arch: 'amd64', package: 'hello' },
      { id: 2, release: 'noble', arch: 'arm64', package: 'hello' },
    ]),
  );
  const results = Array.from({ length: 9 }, (_none, nth) => result(nth));
  await writeFile(join(folder, 'result.ndjson'), lines(results.slice(0, 7)));
  await importCloud(folder, { backend: 'lxd' });
  await writeFile(join(folder, 'result.ndjson'), lines(results));
  const outputSpy = jest.spyOn(process.stdout, 'write');
  outputSpy.mockClear();
  await importCloud(folder, { backend: 'lxd', sameUsers: true, json: true });

  const place = { suite: 'noble', arch: 'amd64', verdict: 'pass', there: 2, here: 2 };
  expect(JSON.parse(outputSpy.mock.calls.map(([text]) => String(text)).join(''))).toEqual({
    runs: { added: 2, present: 7 },
    places: expect.arrayContaining([place]) as unknown,
  });
  expect(output).toContain('runs: 7 new, 0 were here already');
  expect(output).toContain('runs: 2 new, 7 were here already');
  const { rows } = await fixture.client.query(`
    select i.foreign_id as id, r.arch, r.verdict, r.version, r.trigger, u.name as requestor, r.finished_at as finished
    from runs r join imported_ids i on i.kind = 'run' and i.local_id = r.run_id
    join users u on u.user_id = r.requestor_id order by i.foreign_id`);
  const [pass, fail] = ['1/20260102_030400_ab12c@', '1/20260102_030402_ab12c@'];
  const finishedAt = new Date('2026-01-02T03:05:00Z');
  expect(rows).toHaveLength(9);
  expect(rows.filter(({ id }) => id === pass || id === fail)).toEqual([
    {
      ...{ id: pass, arch: 'amd64', verdict: 'pass', version: '1.0-1', trigger: 'glibc/2.40-1 hello/1.0-1' },
      ...{ requestor: 'autopkgtest-cloud', finished: finishedAt },
    },
    expect.objectContaining({ id: fail, verdict: 'fail', requestor: 'ada-b' }),
  ]);
});

it('a result of autopkgtest-cloud whose run a rule has removed is neither imported again nor missed', async () => {
  const test = { id: 1, release: 'noble', arch: 'amd64', package: 'hello' };
  await writeFile(join(folder, 'test.ndjson'), lines([test]));
  const results = [result(0), result(2)];
  await writeFile(join(folder, 'result.ndjson'), lines(results));
  await importCloud(folder, { backend: 'qemu' });
  const { rows } = await fixture.client.query<{ run_id: number }>('select run_id from runs order by run_id');
  const [first] = rows.map(({ run_id: runId }) => Number(runId));
  const { expiry } = fixture.database;
  await expiry.removeStories([first!], removedBy('facts and attempts', 1));
  expect(await expiry.removeRuns([first!], removedBy('runs', 1))).toBe(1);
  await importCloud(folder, { backend: 'qemu' });
  expect((await fixture.client.query('select from runs')).rowCount).toBe(1);
});

it('one row of autopkgtest-cloud that cannot be read keeps all of them out, and is named', async () => {
  await writeFile(
    join(folder, 'test.ndjson'),
    lines([{ id: 1, release: 'noble', arch: 'amd64', package: 'hello' }]),
  );
  const bad = result(4, { test_id: 1, exitcode: 'four' });
  await writeFile(join(folder, 'result.ndjson'), lines([result(2), bad]));
  await expect(importCloud(folder, { backend: 'lxd' })).rejects.toThrow(
    'result.ndjson:2: exitcode must be an exit code, not "four"',
  );
  expect((await fixture.client.query('select from runs')).rowCount).toBe(0);
});

it('logs and artifacts of debci are copied into the store of the service, each once', async () => {
  await generateDebci(folder, { jobs: 40, filesEvery: 10 });
  const options = { ...{ backend: 'lxc', sameUsers: true }, data: join(folder, 'data') };
  await importDebci(folder, { ...options, files: 'later' });
  await importDebci(folder, { ...options, files: 'now' });
  expect(output).toContain('files: of 4 runs; 36 have none there');
  await importDebci(folder, { ...options, files: 'now' });
  expect(output).toContain('files: of 0 runs; 36 have none there');

  // What a rule has removed does not come back.
  await fixture.client.query(
    `update runs set log_size = null, log_removed_by = $1, artifacts_size = null, artifacts_removed_by = $1 where run_id = 10`,
    [removedBy('logs', 180)],
  );
  await importDebci(folder, { ...options, files: 'now' });
  const { rows: removed } = await fixture.client.query('select log_size from runs where run_id = 10');
  expect(removed).toEqual([{ log_size: null }]);

  const store = new FolderStore(((await ownConfiguration()).store as { path: string }).path);
  const file = (await store.open(20, 1, 'log.gz'))!;
  expect(await text(file.content.pipe(createGunzip()))).toBe('log of 20\n');
  const { rows } = await fixture.client.query(
    'select run_id, artifacts_size is not null as whole from runs where log_size is not null order by run_id',
  );
  expect(rows).toEqual([20, 30, 40].map((run_id) => ({ run_id, whole: true })));
});
