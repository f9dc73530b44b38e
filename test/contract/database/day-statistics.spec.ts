import type { PackagesOfDay, RunsOfDay } from '@proctor/database';
import { generateFinishedRuns } from '@test/generator/finished-runs';
import { awayFromMidnight } from '@test/support/midnight';
import { ARCH } from '../journal.fixture';
import { type Fixture, lockAwaited, setUp } from './fixture';
import { Runs } from './runs';

const EVERYTHING = { suite: null, arch: null };
const LONG_AGO = '2000-01-01';
const DAY_MS = 86_400_000;
const dayOf = (date: Date): string => date.toISOString().slice(0, 10);
const daysAgo = (days: number): string => dayOf(new Date(Date.now() - days * DAY_MS));

let fixture: Fixture;
const runs = new Runs(() => fixture);

beforeAll(async () => {
  fixture = await setUp();
});
afterAll(() => fixture.close());
beforeEach(awayFromMidnight);
beforeEach(() =>
  fixture.client.query(
    'truncate runs, attempts, orders, facts, packages, package_statuses, status_progress, run_days, status_days',
  ),
);

const stores = () => fixture.database;

/** As the scheduler does that owns the architecture. @returns the steps that it took */
async function make(): Promise<number> {
  while (await stores().statusProjection.step(ARCH));
  let steps = 1;
  while (await stores().dayStatistics.step(ARCH)) steps += 1;
  await stores().dayStatistics.step(ARCH);
  return steps;
}

const runDays = () => stores().dayStatistics.runs(LONG_AGO, EVERYTHING);
const packageDays = () => stores().dayStatistics.packages(LONG_AGO, EVERYTHING);

/** A row of `runs` that is public, finished and not cancelled. */
interface PlainRun {
  package: string;
  suite: string;
  verdict: RunsOfDay['verdict'];
  duration_seconds: number | null;
  created_at: Date;
  started_at: Date | null;
  finished_at: Date;
  counts: boolean;
}

async function plainRuns(): Promise<PlainRun[]> {
  const { rows } = await fixture.client.query<PlainRun>(`
    select package, suite, verdict, duration_seconds, created_at, started_at, finished_at,
      pin_packages = '[]' and extra_apt_sources = '[]' as counts
    from runs where arch = '${ARCH}' and state = 'finished' and not is_private and not cancelled order by finished_at, run_id`);
  return rows;
}

/** Counted in the plain way, from a list of all runs. */
function runsByDay(rows: PlainRun[]): Partial<RunsOfDay>[] {
  const groups = new Map<string, PlainRun[]>();
  for (const run of rows) {
    const key = `${dayOf(run.finished_at)} ${run.verdict}`;
    groups.set(key, [...(groups.get(key) ?? []), run]);
  }
  return [...groups.keys()].sort().map((key) => {
    const group = groups.get(key)!;
    const waits = group.flatMap((run) =>
      run.started_at ? (run.started_at.getTime() - run.created_at.getTime()) / 1_000 : [],
    );
    const within = (seconds: number): number => waits.filter((wait) => wait <= seconds).length;
    return {
      ...{ day: key.split(' ')[0]!, verdict: group[0]!.verdict, runs: group.length },
      testSeconds: group.reduce((sum, run) => sum + (run.duration_seconds ?? 0), 0),
      ...{ startedRuns: waits.length, beganInQuarter: within(900), beganInHour: within(3_600) },
      ...{ beganInSixHours: within(21_600), beganInDay: within(DAY_MS / 1_000) },
    };
  });
}

function packagesAtEndOf(day: string, rows: PlainRun[]): PackagesOfDay {
  const latest = new Map<string, PlainRun>();
  for (const run of rows)
    if (run.counts && dayOf(run.finished_at) <= day) latest.set(`${run.package} ${run.suite}`, run);
  const counts: PackagesOfDay = { day, pass: 0, neutral: 0, fail: 0, tmpfail: 0 };
  for (const { verdict } of latest.values()) counts[verdict] += 1;
  return counts;
}

it('the figures of each day are those of its runs, from the first day on, and stay when the runs go', async () => {
  await generateFinishedRuns(fixture.client, {
    ...{ runs: 3_000, seed: 3, suites: ['sid', 'trixie'], architectures: [ARCH, 'other'], packages: 60 },
    ...{ until: new Date(), days: 70, isBare: true, privateShare: 0.1 },
  });
  expect(await make()).toBe(3);
  const rows = await plainRuns();
  expect(await runDays()).toMatchObject(runsByDay(rows));
  const dayRows = await packageDays();
  expect(dayRows.length).toBeGreaterThan(60);
  // A day is written while it goes on, and once more after it: here it was never written.
  expect(dayRows.map(({ day }) => day)).not.toContain(daysAgo(1));
  expect(dayRows).toEqual(dayRows.map(({ day }) => packagesAtEndOf(day, rows)));
  expect(await stores().dayStatistics.places()).toEqual([
    expect.objectContaining({ suite: 'sid', arch: ARCH, day: daysAgo(0) }),
    expect.objectContaining({ suite: 'trixie', arch: ARCH, day: daysAgo(0) }),
  ]);
  await fixture.client.query(`delete from runs where finished_at < now() - interval '3 days'`);
  await make();
  const closedDays = (days: { day: string }[]) => days.filter(({ day }) => day < daysAgo(1));
  expect(closedDays(await runDays())).toMatchObject(closedDays(runsByDay(rows) as RunsOfDay[]));
  expect(closedDays(await packageDays())).toEqual(closedDays(dayRows));
});

it('the figures of today follow each end of a public run, its publication and its correction, and no other', async () => {
  const today = daysAgo(0);
  await runs.finished({ package: 'a' });
  await make();
  const counts = async () => {
    await make();
    const verdictCounts = (await runDays()).map(({ verdict, runs: count }) => [verdict, count]);
    const { day, ...packages } = (await packageDays()).at(-1)!;
    expect(day).toBe(today);
    return { ended: verdictCounts, packages };
  };
  const one = { ended: [['pass', 1]], packages: { pass: 1, neutral: 0, fail: 0, tmpfail: 0 } };
  expect(await counts()).toEqual(one);
  await runs.cancelled({ package: 'b' });
  await runs.running({ package: 'b' });
  const hidden = await runs.finished({ package: 'b', isPrivate: true }, 'fail');
  expect(await counts()).toEqual(one);
  await stores().publications.publish([hidden], fixture.submitter.keyId);
  expect(await counts()).toEqual({
    ended: [
      ['fail', 1],
      ['pass', 1],
    ],
    packages: { pass: 1, neutral: 0, fail: 1, tmpfail: 0 },
  });
  await runs.finished({ package: 'a', pinPackages: [['src:glibc', 'sid']] }, 'fail');
  expect(await counts()).toMatchObject({
    ended: [
      ['fail', 2],
      ['pass', 1],
    ],
    packages: { pass: 1, fail: 1 },
  });
  await fixture.client.query(`update runs set verdict = 'tmpfail', updated_at = now() where run_id = $1`, [
    hidden,
  ]);
  expect(await counts()).toMatchObject({
    ended: [
      ['fail', 1],
      ['pass', 1],
      ['tmpfail', 1],
    ],
  });
});

it('figures are asked for by suite, architecture and day', async () => {
  const old = await runs.finished({ package: 'a' });
  await fixture.client.query(`update runs set finished_at = now() - interval '1 day' where run_id = $1`, [
    old,
  ]);
  await runs.finished({ package: 'a', suite: 'sid' }, 'fail');
  await make();
  const of = async (from: string, filter: object) =>
    (await stores().dayStatistics.runs(from, { ...EVERYTHING, ...filter })).map(({ verdict }) => verdict);
  expect(await of(LONG_AGO, {})).toEqual(['pass', 'fail']);
  expect(await of(daysAgo(0), {})).toEqual(['fail']);
  expect(await of(LONG_AGO, { suite: 'bookworm', arch: ARCH })).toEqual(['pass']);
  expect(await of(LONG_AGO, { arch: 'other' })).toEqual([]);
  expect(await stores().dayStatistics.packages(LONG_AGO, { suite: 'sid', arch: null })).toEqual([
    { day: daysAgo(0), pass: 0, neutral: 0, fail: 1, tmpfail: 0 },
  ]);
});

it('today a place that was not looked at yet counts as it was seen last, for a month', async () => {
  await fixture.client.query(
    `insert into status_days (day, suite, arch, pass, neutral, fail, tmpfail)
     values ($1, 'sid', 'seen', 5, 0, 1, 0), ($1, 'sid', 'unseen', 3, 0, 2, 1), ($2, 'sid', 'seen', 6, 0, 0, 0), ($3, 'sid', 'gone', 9, 0, 9, 0)`,
    [daysAgo(1), daysAgo(0), daysAgo(40)],
  );
  expect(await packageDays()).toEqual([
    { day: daysAgo(40), pass: 9, neutral: 0, fail: 9, tmpfail: 0 },
    { day: daysAgo(1), pass: 8, neutral: 0, fail: 3, tmpfail: 1 },
    { day: daysAgo(0), pass: 9, neutral: 0, fail: 2, tmpfail: 1 },
  ]);
  expect(await stores().dayStatistics.packages(daysAgo(0), { suite: 'sid', arch: 'unseen' })).toEqual([
    { day: daysAgo(0), pass: 3, neutral: 0, fail: 2, tmpfail: 1 },
  ]);
});

it('days that are to be made again stay so, though a step that makes later ones is under way', async () => {
  await generateFinishedRuns(fixture.client, {
    ...{ runs: 300, seed: 4, suites: ['sid'], architectures: [ARCH], packages: 10 },
    ...{ until: new Date(), days: 70, isBare: true },
  });
  while (await stores().statusProjection.step(ARCH));
  expect(await stores().dayStatistics.step(ARCH)).toBe(true);
  await fixture.client.query('begin');
  await fixture.client.query('update status_progress set closed_day = $1', [daysAgo(65)]);
  const step = stores().dayStatistics.step(ARCH);
  await lockAwaited(fixture.url, 'for no key update');
  await fixture.client.query('commit');
  await step;
  const { rows } = await fixture.client.query<{ day: string }>(
    'select closed_day::text as day from status_progress',
  );
  expect(rows).toEqual([{ day: daysAgo(65) }]);
});

it('no day is passed over when an import comes before any was made', async () => {
  await generateFinishedRuns(fixture.client, {
    ...{ runs: 100, seed: 5, suites: ['sid'], architectures: [ARCH], packages: 5 },
    ...{ until: new Date(), days: 10, isBare: true },
  });
  while (await stores().statusProjection.step(ARCH));
  await stores().imports.rebuildStatuses([ARCH], new Date());
  const { rows } = await fixture.client.query('select closed_day from status_progress');
  expect(rows).toEqual([{ closed_day: null }]);
});
