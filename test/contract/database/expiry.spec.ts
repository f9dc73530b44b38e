import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createHash } from 'node:crypto';
import { type ExpiredFile, ExpiryUnderWay } from '@proctor/database';
import { sweepOrphans } from '@proctor/retention';
import { FolderStore } from '@proctor/store';
import { A_DAY, NO_END, type OldRuns, setUpOldRuns, UNTIL } from './old-runs';

const RUNS = 400;

let fixture: OldRuns;

interface Row {
  run_id: number;
  place: string;
  owner: string;
  verdict: string;
  counts: boolean;
  at: Date;
  attempt: number;
  log_size: number | null;
  artifacts_size: number | null;
  log_removed_by: string | null;
  artifacts_removed_by: string | null;
  story_removed_by: string | null;
  facts: number;
  attempts: number;
}

const rows = async (): Promise<Row[]> =>
  (
    await fixture.client.query<Row>(`
      select run_id, package || ' ' || suite || ' ' || arch as place, case when is_private then api_key_id::text else '' end as owner,
        verdict, not is_private and not cancelled and pin_packages = '[]' and extra_apt_sources = '[]' as counts,
        finished_at as at, attempt, log_size, artifacts_size, log_removed_by, artifacts_removed_by, story_removed_by,
        (select count(*)::integer from facts f where f.run_id = r.run_id) as facts,
        (select count(*)::integer from attempts a where a.run_id = r.run_id) as attempts
      from runs r order by finished_at, run_id`)
  ).rows;

beforeEach(async () => {
  const days = { artifactsDays: 30, failedArtifactsDays: 90, logsDays: 180, storyDays: 300 };
  fixture = await setUpOldRuns({ runs: RUNS, suites: ['sid', 'trixie'], packages: 12 }, days);
});
afterEach(() => fixture.close());

async function put(runId: number, attempt: number): Promise<void> {
  const content = Buffer.from('x');
  const expected = { size: 1, sha256: createHash('sha256').update(content).digest('hex') };
  for (const name of ['log.gz', 'log-index.json', 'artifacts.tar.gz'] as const)
    await fixture.store.save(runId, attempt, name, Readable.from([content]), expected);
}

async function storeFiles(): Promise<void> {
  for (const { run_id: runId, attempt, log_size: size } of await rows())
    if (size !== null) await put(runId, attempt);
}

const names = async (): Promise<string[]> =>
  (await readdir(fixture.folder, { recursive: true, withFileTypes: true }).catch(() => []))
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath.slice(fixture.folder.length + 1)}/${entry.name}`);

/**
 * The newest of each place that finished, passed or failed: among those that count for the status, among all
 * public ones, and of each key.
 */
function newestOfEach(all: Row[]): Set<number> {
  const newest = new Map<string, number>();
  for (const { run_id, place, owner, verdict, counts } of all) {
    const kinds = [
      'finished',
      ...(verdict === 'fail' ? ['fail'] : []),
      ...(/pass|neutral/.test(verdict) ? ['pass'] : []),
    ];
    for (const kind of kinds) {
      if (counts) newest.set(`counting${place} ${kind}`, run_id);
      newest.set(`${owner} ${place} ${kind}`, run_id);
    }
  }
  return new Set(newest.values());
}

it('what is old goes, but for the newest run of each place that finished, passed or failed', async () => {
  const before = await rows();
  const keptRuns = newestOfEach(before);
  await fixture.expire(A_DAY);
  const dayBefore = new Date(UNTIL.getTime() - 86_400_000);
  const after = await rows();
  expect(after).toHaveLength(RUNS);
  for (const [place, row] of after.entries()) {
    const was = before[place]!;
    const stays = row.at >= dayBefore || keptRuns.has(row.run_id);
    expect({ runId: row.run_id, log: row.log_size, artifacts: row.artifacts_size }).toEqual({
      ...{
        runId: row.run_id,
        log: stays ? was.log_size : null,
        artifacts: stays ? was.artifacts_size : null,
      },
    });
    const hadFiles = was.log_size !== null && !stays;
    expect(row.log_removed_by).toBe(hadFiles ? 'logs: 1' : null);
    const isOld = row.at < dayBefore && row.log_size === null;
    expect(row.story_removed_by).toBe(isOld ? 'facts and attempts: 1' : null);
    expect([row.facts, row.attempts]).toEqual(isOld ? [0, 0] : [was.facts, was.attempts]);
  }
  // Some are kept for nothing but what they are.
  expect(after.filter((row) => row.at < dayBefore && row.log_size !== null).length).toBeGreaterThan(20);
});

/** Statistics, and how many runs each package has of each month. */
async function statistics() {
  const { rows: packageMonths } = await fixture.client.query<object>(`
    select package, suite, to_char(finished_at at time zone 'UTC', 'YYYY-MM') as month, verdict, count(*)::integer as runs,
      sum(duration_seconds)::integer as seconds
    from runs where not is_private group by 1, 2, 3, 4 order by 1, 2, 3, 4`);
  return { ...(await fixture.statistics()), packageMonths };
}

it('statistics of each day and of each package stay when files, facts and attempts go, and can be made again from what is left', async () => {
  const before = await statistics();
  for (const rowsOfOne of Object.values(before)) expect(rowsOfOne.length).toBeGreaterThan(20);
  await fixture.expire(A_DAY);
  expect((await rows()).filter((row) => row.story_removed_by !== null).length).toBeGreaterThan(RUNS / 2);
  expect(await statistics()).toEqual(before);
  await fixture.client.query('truncate package_statuses, status_progress, run_days, status_days');
  expect(await statistics()).toEqual(before);
});

it('each kind of file is removed by its own rule, and the rows name it', async () => {
  await fixture.expire();
  const after = await rows();
  const ages = (which: Row[]): number[] =>
    which.map(({ at }) => (UNTIL.getTime() - at.getTime()) / 86_400_000);
  const by = (rule: string): Row[] => after.filter((row) => row.artifacts_removed_by === rule);
  expect(Math.min(...ages(by('artifacts of passed runs: 30')))).toBeGreaterThan(30);
  expect(Math.min(...ages(by('artifacts of failed runs: 90')))).toBeGreaterThan(90);
  expect(Math.min(...ages(after.filter((row) => row.log_removed_by === 'logs: 180')))).toBeGreaterThan(180);
  expect(new Set(by('artifacts of failed runs: 90').map(({ verdict }) => verdict))).toContain('fail');
  expect(after.some((row) => row.artifacts_removed_by !== null && row.log_size !== null)).toBe(true);
  expect((await fixture.expire()).removed).toEqual([]);
  expect(await rows()).toEqual(after);
});

it('a package that has too much loses artifacts, the oldest first, then logs', async () => {
  const before = await rows();
  const name = before[0]!.place.split(' ')[0]!;
  const of = (all: Row[]): Row[] =>
    all.filter(({ place, owner }) => place.startsWith(`${name} `) && owner === '');
  const sum = (all: Row[]): number =>
    of(all).reduce((all, row) => all + (row.log_size ?? 0) + (row.artifacts_size ?? 0), 0);
  const half = Math.floor(sum(before) / 2);
  await fixture.expire({ ...NO_END, packages: { [name]: half } });
  const after = await rows();
  expect(sum(after)).toBeLessThanOrEqual(half);
  expect(new Set(of(after).map((row) => row.artifacts_removed_by))).toEqual(
    new Set([null, `files of a package: ${half}`]),
  );
  expect(after.filter(({ place }) => !place.startsWith(`${name} `))).toEqual(
    before.filter(({ place }) => !place.startsWith(`${name} `)),
  );
  const keptRuns = newestOfEach(before);
  const lostRows = of(after).filter((row) => row.artifacts_removed_by !== null);
  const stayed = of(after).filter((row) => row.artifacts_size !== null && !keptRuns.has(row.run_id));
  for (const { at } of stayed) expect(lostRows.every((row) => row.at <= at)).toBe(true);
});

it('files of private runs take nothing of what the public ones of their package may have, nor of another key', async () => {
  const before = await rows();
  const name = before[0]!.place.split(' ')[0]!;
  const owners = new Set(before.map(({ owner }) => owner).filter((owner) => owner !== ''));
  const [first] = owners;
  const sizeOf = (row: Row): number => (row.log_size ?? 0) + (row.artifacts_size ?? 0);
  const isOf = (owner: string) => (row: Row) => row.place.startsWith(`${name} `) && row.owner === owner;
  const sum = (all: Row[], owner: string): number =>
    all.filter(isOf(owner)).reduce((bytes, row) => bytes + sizeOf(row), 0);
  // Those of one key have ten times as much as all public ones.
  const max = sum(before, '') + 1;
  const blown = Math.ceil((max * 10) / before.filter(isOf(first!)).length);
  await fixture.client.query(
    `update runs set artifacts_size = $3 where is_private and api_key_id = $2 and package = $1 and artifacts_size is not null`,
    [name, Number(first), blown],
  );
  const grown = await rows();
  expect(sum(grown, first!)).toBeGreaterThan(max);
  await fixture.expire({ ...NO_END, packages: { [name]: max } });
  const after = await rows();
  expect(after.filter(({ owner }) => owner !== first)).toEqual(grown.filter(({ owner }) => owner !== first));
  expect(sum(after, first!)).toBeLessThan(sum(grown, first!));
});

it('a run on which a note was written keeps its files while the note stands', async () => {
  const before = await rows();
  const keptRuns = newestOfEach(before);
  const old = before.find(
    (row) => row.verdict === 'fail' && !keptRuns.has(row.run_id) && row.log_size !== null,
  )!;
  await fixture.client.query(
    `insert into notes (subject, package, suite, arch, body, bugs, author_id, run_id, was_private, failing_tests, written_at)
     select 'package', package, suite, arch, 'known', '{}', $2, run_id, false, '{}', now() from runs where run_id = $1`,
    [old.run_id, fixture.submitter.userId],
  );
  const find = async () => (await rows()).find((row) => row.run_id === old.run_id)!;
  await fixture.expire({ logsDays: 1 });
  expect((await find()).log_size).toBe(old.log_size);
  await fixture.client.query('update notes set removed_at = now()');
  await fixture.expire({ logsDays: 1 });
  expect((await find()).log_removed_by).toBe('logs: 1');
});

it('a store loses the files that rows have lost, also after it was away in between', async () => {
  await storeFiles();
  const filesBefore = (await names()).length;
  const away = new FolderStore(join(fixture.folder, 'nothing'));
  away.removeFiles = () => Promise.reject(new Error('away'));
  await expect(fixture.expire({}, { store: away })).rejects.toThrow('away');
  // The first batch is out of the rows, and nothing of it out of the store.
  const waiting = await fixture.database.expiry.waitingFiles(1_000);
  expect(waiting.length).toBeGreaterThan(0);
  expect(await names()).toHaveLength(filesBefore);
  await fixture.expire();
  expect(await fixture.database.expiry.waitingFiles(1)).toEqual([]);
  const remainingNames = new Set(await names());
  for (const row of await rows()) {
    const at = `${Math.floor(row.run_id / 1000)}/${row.run_id}/${row.attempt}`;
    expect(remainingNames.has(`${at}/log.gz`)).toBe(row.log_size !== null);
    expect(remainingNames.has(`${at}/log-index.json`)).toBe(row.log_size !== null);
    expect(remainingNames.has(`${at}/artifacts.tar.gz`)).toBe(row.artifacts_size !== null);
  }
});

it('files that were removed when the process died are removed once more, which changes nothing', async () => {
  await storeFiles();
  const expiry = fixture.database.expiry;
  const forget = jest.spyOn(expiry, 'deleteExpiredFiles').mockRejectedValueOnce(new Error('killed'));
  await expect(fixture.expire()).rejects.toThrow('killed');
  forget.mockRestore();
  const repeated = await expiry.waitingFiles(1);
  expect(repeated).toHaveLength(1);
  await fixture.expire();
  expect(await expiry.waitingFiles(1)).toEqual([]);
});

it('two processes do not remove what is old at the same time', async () => {
  const { expiry } = fixture.database;
  await expiry.alone(async () => {
    await expect(expiry.alone(() => Promise.resolve())).rejects.toThrow(ExpiryUnderWay);
  });
  await expect(expiry.alone(() => Promise.resolve('mine'))).resolves.toBe('mine');
});

it('rows that another transaction holds are left for the next time', async () => {
  const due = (await rows()).find((row) => row.log_size !== null && !newestOfEach([row]).has(0))!;
  const removal = { runId: due.run_id, logRule: 'logs: 1', artifactsRule: null };
  await fixture.client.query('begin');
  await fixture.client.query('select from runs where run_id = $1 for update', [due.run_id]);
  expect(await fixture.database.expiry.removeFiles([removal])).toEqual([]);
  await fixture.client.query('commit');
  expect(await fixture.database.expiry.removeFiles([removal])).toEqual([due.run_id]);
  const files = await fixture.database.expiry.waitingFiles(10);
  expect(files.map(({ name }: ExpiredFile) => name).sort()).toEqual(['log-index.json', 'log.gz']);
});

it('files that no row names are swept, except young ones, awaited ones and those of runs that are not known', async () => {
  const all = await rows();
  const bare = all.find((row) => row.log_size === null)!;
  const namedRun = all.find((row) => row.log_size !== null)!;
  await put(bare.run_id, 1);
  await put(namedRun.run_id, namedRun.attempt);
  await put(namedRun.run_id, namedRun.attempt + 5);
  await put(all.length + 1_000_000, 1);
  // Of a run that was forgotten when the database was restored, though newer ones are known.
  const newest = Math.max(...all.map(({ run_id: runId }) => runId));
  await fixture.client.query(`select setval('runs_run_id_seq', $1)`, [newest + 100]);
  const lostRuns = { takenAt: UNTIL, firstLostRun: newest + 1, nextRun: newest + 101, filesMissing: 0 };
  await fixture.database.backups.recordRestore(lostRuns);
  await put(newest + 2, 1);
  const sweep = (now: Date, awaited: number[] = []) =>
    sweepOrphans({
      expiry: fixture.database.expiry,
      store: fixture.store,
      awaited: (attempts) => Promise.resolve(attempts.filter(({ runId }) => awaited.includes(runId))),
      now,
      pause: () => Promise.resolve(),
      isEnded: () => false,
    });
  const later = new Date(Date.now() + 3 * 24 * 3_600_000);
  expect(await sweep(new Date())).toEqual({ removed: 0, unknownRuns: 2 });
  expect(await sweep(later, [bare.run_id, namedRun.run_id])).toEqual({ removed: 0, unknownRuns: 2 });
  expect(await sweep(later)).toEqual({ removed: 6, unknownRuns: 2 });
  expect(await names()).toHaveLength(9);
});
