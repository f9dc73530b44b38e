import { insertMany } from '@test/generator/bulk';
import { generateFinishedRuns, type FinishedRunsPlan } from '@test/generator/finished-runs';
import { generateWaitingRuns } from '@test/generator/waiting-runs';
import { packageNames } from '@test/generator/packages';
import { setUp, type Fixture } from './fixture';

const PLAN: FinishedRunsPlan = {
  ...{ runs: 6_000, seed: 1, suites: ['sid', 'trixie'], architectures: ['amd64', 'arm64'], packages: 300 },
  ...{ until: new Date('2026-01-01T00:00:00Z'), days: 60 },
};

let fixture: Fixture;
beforeEach(async () => {
  fixture = await setUp();
});
afterEach(() => fixture.close());

async function rows<T extends object>(text: string): Promise<T[]> {
  return (await fixture.client.query<T>(text)).rows;
}

it('generated runs have as many different names as they are asked for', () => {
  const names = packageNames(21_500);
  expect(new Set(names).size).toBe(21_500);
  expect(names.filter((name) => !/^[a-z0-9][a-z0-9+.-]+$/.test(name))).toEqual([]);
});

it('generated runs that have finished satisfy every constraint, and have a whole story each', async () => {
  await generateFinishedRuns(fixture.client, PLAN);
  // References were not looked up while they were inserted.
  expect(
    await rows(`select run_id from runs where not exists (
        select from api_keys k where k.key_id = api_key_id and k.user_id = requestor_id)`),
  ).toEqual([]);
  expect(
    await rows('select from attempts a where not exists (select from runs r where r.run_id = a.run_id)'),
  ).toEqual([]);
  expect(
    await rows(`
        select run_id from runs r
        where attempt <> (select count(*) from attempts a where a.run_id = r.run_id)
          or 1 <> (select count(*) from facts f where f.run_id = r.run_id and kind in ('finished', 'cancelled'))
          or state <> (select state from facts f where f.run_id = r.run_id order by fact_id desc limit 1)
          or created_at > finished_at or started_at > finished_at`),
  ).toEqual([]);
  const [counts] = await rows<Record<string, number>>(`
      select count(*)::integer as runs, count(distinct (package, suite, arch))::integer as tests,
        count(*) filter (where verdict = 'pass')::integer as pass, count(*) filter (where verdict = 'fail')::integer as fail,
        count(*) filter (where is_private)::integer as private, count(*) filter (where cancelled)::integer as cancelled,
        count(*) filter (where attempt > 1)::integer as repeated from runs`);
  expect(counts).toMatchObject({ runs: 6_000, tests: 1_200 });
  for (const kind of ['pass', 'fail', 'private', 'cancelled', 'repeated'])
    expect([kind, counts![kind]! > 0]).toEqual([kind, true]);
});

it('generated runs are the same for the same seed, and others for another', async () => {
  const digest = `select md5(string_agg(md5(r::text), '' order by run_id)) as digest from (
      select run_id, package, suite, arch, verdict, version, created_at, finished_at from runs) r`;
  const digests = [];
  for (const seed of [1, 1, 2]) {
    await fixture.client.query('truncate runs, attempts, facts restart identity cascade');
    await generateFinishedRuns(fixture.client, { ...PLAN, runs: 2_000, seed });
    digests.push((await rows<{ digest: string }>(digest))[0]!.digest);
  }
  expect(digests[0]).toBe(digests[1]);
  expect(digests[2]).not.toBe(digests[0]);
});

it('generated runs that are many are inserted without indexes, which are there again afterwards', async () => {
  const indexes = 'select indexname, indexdef from pg_indexes where schemaname = current_schema() order by 1';
  const before = await rows(indexes);
  let meanwhile: object[] = [];
  await insertMany(fixture.client, ['runs', 'attempts', 'facts'], 200_000, async () => {
    meanwhile = await rows(indexes);
  });
  expect(meanwhile.length).toBeLessThan(before.length - 10);
  expect(await rows(indexes)).toEqual(before);
});

it('generated runs that wait are loaded by the dispatcher of their architecture', async () => {
  const { suites, architectures, packages, seed, until, days } = PLAN;
  await generateWaitingRuns(fixture.client, {
    ...{ suites, architectures, packages, seed, until, days, runs: 2_000 },
    ...{ backend: 'unshare', variant: 'autopkgtest', takenIn: true },
  });
  const { runs } = await fixture.database.journal.load('arm64', 3_600_000);
  expect(runs).toHaveLength(1_000);
});

it('generated runs are read by the pages like any others', async () => {
  await generateFinishedRuns(fixture.client, PLAN);
  const { publicRuns } = fixture.database;
  expect(await publicRuns.recent(50)).toHaveLength(50);
  const [newest] = await publicRuns.recent(1);
  const history = await publicRuns.history(newest!.suite, newest!.arch, newest!.package, 20);
  expect(history.length).toBeGreaterThan(1);
  expect(await publicRuns.latest('sid', 'amd64', 'perl')).toMatchObject({
    package: 'perl',
    state: 'finished',
  });
  const facts = await publicRuns.storyOf(newest!.runId, {});
  expect(facts[0]).toMatchObject({ kind: 'requested' });
});
