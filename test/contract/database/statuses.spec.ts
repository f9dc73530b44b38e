import type { RunRequest, Verdict } from '@proctor/contracts';
import { awayFromMidnight } from '@test/support/midnight';
import { ARCH } from '../journal.fixture';
import { type Fixture, setUp } from './fixture';
import { ids, Runs } from './runs';

let fixture: Fixture;
const runs = new Runs(() => fixture);

beforeAll(async () => {
  fixture = await setUp();
});
afterAll(() => fixture.close());
beforeEach(() => fixture.client.query('truncate runs, attempts, orders, packages'));

const SUITE = 'bookworm';
const stores = () => fixture.database.publicRuns;

/** Everything that a package's status must not change by. */
async function strangers(name: string): Promise<void> {
  const failedRun = (change: Partial<RunRequest>) => runs.finished({ package: name, ...change }, 'fail', '9');
  await failedRun({ isPrivate: true });
  await failedRun({ pinPackages: [['src:glibc', 'sid']] });
  await failedRun({ extraAptSources: ['staging'] });
  await failedRun({ suite: 'trixie' });
  await failedRun({ arch: 'arm64' });
  await runs.cancelled({ package: name });
  await runs.finished({ package: name }, 'absent', 'n/a');
  await runs.running({ package: name });
  await runs.waiting({ package: name });
}

it('the status of each package is its newest run, with the verdict before and the last pass', async () => {
  await runs.finished({ package: 'b' }, 'pass', '1');
  const passed = await runs.finished({ package: 'b' }, 'pass', '2');
  await runs.finished({ package: 'b' }, 'fail', '3');
  const newest = await runs.finished({ package: 'b' }, 'tmpfail', '4');
  const first = await runs.finished({ package: 'a' }, 'fail');
  const empty = await runs.finished({ package: 'c' }, 'neutral', '5');
  for (const name of ['a', 'b', 'c', 'd']) await strangers(name);
  const { finishedAt: date } = (await fixture.database.results.find(passed))!;
  const { finishedAt } = (await fixture.database.results.find(empty))!;
  expect(await stores().statusOf(SUITE, ARCH)).toEqual([
    { ...(await fixture.database.results.find(first)), previousStatus: null, lastPass: null },
    {
      ...(await fixture.database.results.find(newest)),
      previousStatus: 'fail',
      lastPass: { version: '2', date },
    },
    {
      ...(await fixture.database.results.find(empty)),
      previousStatus: null,
      lastPass: { version: '5', date: finishedAt },
    },
  ]);
  expect(await stores().statusOf('sid', ARCH)).toEqual([]);
});

it('the status of each package comes in parts, and of chosen verdicts', async () => {
  for (const name of ['a', 'b', 'c', 'd'])
    await runs.finished({ package: name }, name === 'c' ? 'fail' : 'pass');
  const names = async (part: object) =>
    (await stores().statusOf(SUITE, ARCH, part)).map((run) => run.package);
  expect(await names({ limit: 2 })).toEqual(['a', 'b']);
  expect(await names({ after: 'b', limit: 2 })).toEqual(['c', 'd']);
  expect(await names({ after: 'd' })).toEqual([]);
  expect(await names({ verdicts: ['fail', 'tmpfail'] })).toEqual(['c']);
});

it('the status of each package has another version after each change, and the same when nothing has changed', async () => {
  const versions = [await stores().statusVersion(SUITE, ARCH)];
  expect(versions[0]).toEqual({
    newestUpdate: null,
    latelyUpdated: 0,
    removed: 0,
    today: expect.any(String),
  });
  const secret = await runs.finished({ package: 'b', isPrivate: true });
  for (const change of [
    () => runs.finished({ package: 'a' }),
    () => runs.finished({ package: 'a' }),
    () => fixture.database.publications.publish([secret], fixture.submitter.keyId),
  ]) {
    await strangers('a');
    expect(await stores().statusVersion(SUITE, ARCH)).toEqual(versions.at(-1));
    await change();
    const version = await stores().statusVersion(SUITE, ARCH);
    expect(versions).not.toContainEqual(version);
    versions.push(version);
  }
});

it('the status of each package is counted', async () => {
  const nothing = { pass: 0, neutral: 0, fail: 0, tmpfail: 0, total: 0, date: null };
  expect(await stores().statusCounts(SUITE, ARCH)).toEqual(nothing);
  const verdicts: Verdict[] = ['pass', 'pass', 'fail', 'tmpfail', 'neutral', 'pass'];
  for (const [place, verdict] of verdicts.entries()) {
    await runs.finished({ package: `p${place}` }, 'fail');
    await runs.finished({ package: `p${place}` }, verdict);
    await strangers(`p${place}`);
  }
  const newest = await runs.finished({ package: 'p0' }, 'pass');
  const { finishedAt: date } = (await fixture.database.results.find(newest))!;
  expect(await stores().statusCounts(SUITE, ARCH)).toEqual({
    pass: 3,
    neutral: 1,
    fail: 1,
    tmpfail: 1,
    total: 6,
    date,
  });
});

it('each package has a status on each suite and architecture', async () => {
  await runs.finished({ package: 'a' }, 'fail');
  const here = await runs.finished({ package: 'a' });
  const there = await runs.finished({ package: 'a', suite: 'trixie' });
  await runs.finished({ package: 'a', suite: 'sid', isPrivate: true });
  await runs.finished({ package: 'b', suite: 'sid' });
  const suites = await stores().suitesOf('a');
  expect(suites.map(({ suite, arch, latest }) => [suite, arch, latest.runId])).toEqual([
    [SUITE, ARCH, here],
    ['trixie', ARCH, there],
  ]);
  expect(suites[0]!.latest).toEqual(await fixture.database.results.find(here));
});

it('where a package is not, the newest public run says so', async () => {
  await runs.finished({ package: 'a' }, 'absent');
  const here = await runs.finished({ package: 'a' }, 'absent');
  const there = await runs.finished({ package: 'a', suite: 'trixie' }, 'absent');
  await runs.finished({ package: 'a', suite: 'sid', isPrivate: true }, 'absent');
  await runs.finished({ package: 'a', suite: 'trixie' });
  const absent = await stores().absentFrom('a');
  expect(absent.map(({ suite, runId }) => [suite, runId])).toEqual([
    [SUITE, here],
    ['trixie', there],
  ]);
});

describe('the counts of each day', () => {
  beforeEach(awayFromMidnight);

  const day = (ago: number, time = '12:00') =>
    new Date(`${new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)}T${time}Z`).toISOString();

  it('the counts of each day say how all packages were at its end, also those that were not tested on it', async () => {
    const endedRun = async (name: string, verdict: Verdict, time: string) =>
      runs.endedAt(await runs.finished({ package: name }, verdict), time);
    await endedRun('a', 'pass', day(9));
    await endedRun('b', 'fail', day(9));
    await endedRun('a', 'fail', day(2, '00:00'));
    await endedRun('a', 'tmpfail', day(2, '23:59:59.999'));
    await endedRun('c', 'neutral', day(1));
    await endedRun('b', 'pass', day(0, '00:00'));
    for (const name of ['a', 'b', 'c', 'd']) await strangers(name);
    const counts = (await stores().statusHistory(SUITE, ARCH, 4)).map(({ date, ...rest }) => [date, rest]);
    const none = { pass: 0, neutral: 0, fail: 0, tmpfail: 0 };
    expect(counts).toEqual([
      [new Date(day(3, '00:00')), { ...none, pass: 1, fail: 1, total: 2 }],
      [new Date(day(2, '00:00')), { ...none, tmpfail: 1, fail: 1, total: 2 }],
      [new Date(day(1, '00:00')), { ...none, tmpfail: 1, fail: 1, neutral: 1, total: 3 }],
      [new Date(day(0, '00:00')), { ...none, tmpfail: 1, pass: 1, neutral: 1, total: 3 }],
    ]);
  });

  it('the counts of each day are there for a suite without runs', async () => {
    const history = await stores().statusHistory('sid', ARCH, 35);
    expect([history.length, history[0]!.total]).toEqual([35, 0]);
  });
});

it('changes are runs that ended unlike the one before, a tmpfail between them or not', async () => {
  const story: Verdict[] = [
    'tmpfail',
    'pass',
    'pass',
    'tmpfail',
    'pass',
    'tmpfail',
    'fail',
    'fail',
    'neutral',
    'pass',
  ];
  const runIds: number[] = [];
  for (const verdict of story) runIds.push(await runs.finished({ package: 'a' }, verdict));
  await strangers('a');
  const fixed = runIds[8]!;
  const broken = runIds[6]!;
  for (const name of ['a', null]) {
    const changes = await stores().statusChanges(name, 10);
    // First failures elsewhere.
    const elsewhere = changes
      .splice(0, 2)
      .map(({ suite, arch, previousStatus }) => [suite, arch, previousStatus]);
    expect(elsewhere).toEqual([
      [SUITE, 'arm64', null],
      ['trixie', ARCH, null],
    ]);
    expect(changes.map(({ runId, previousStatus }) => [runId, previousStatus])).toEqual([
      [fixed, 'fail'],
      [broken, 'pass'],
    ]);
    expect(ids(await stores().statusChanges(name, 3)).slice(2)).toEqual([fixed]);
    expect(ids(await stores().statusChanges(name, 10, false)).slice(2)).toEqual([runIds[9], fixed, broken]);
  }
  expect((await stores().statusChanges('a', 4))[3]).toMatchObject({
    verdict: 'fail',
    lastPass: { version: '1.0-1', date: (await fixture.database.results.find(runIds[4]!))!.finishedAt },
  });
});

it('the first run of a package is a change when it failed', async () => {
  const failedRunId = await runs.finished({ package: 'new' }, 'fail');
  await runs.finished({ package: 'new', suite: 'trixie' }, 'pass');
  await runs.finished({ package: 'new', suite: 'sid' }, 'tmpfail');
  const later = await runs.finished({ package: 'new', suite: 'sid' }, 'fail');
  const changes = await stores().statusChanges('new', 10);
  expect(changes.map(({ runId, previousStatus }) => [runId, previousStatus])).toEqual([
    [later, null],
    [failedRunId, null],
  ]);
});

it('changes are listed of one package or of all', async () => {
  const change = async (name: string) => {
    await runs.finished({ package: name }, 'pass');
    return runs.finished({ package: name }, 'fail');
  };
  const [first, second] = [await change('a'), await change('b')];
  expect(ids(await stores().statusChanges(null, 10))).toEqual([second, first]);
  expect(ids(await stores().statusChanges('a', 10))).toEqual([first]);
});

describe('a package that was removed', () => {
  const remove = (name: string, removed = true) =>
    fixture.database.imports.savePackages([{ name, backend: null, removed }]);
  const filter = { suites: null, architectures: null, package: null };

  it('is in no status and no list of statuses until a test of it is requested again', async () => {
    for (const name of ['gone', 'kept']) {
      for (const arch of [ARCH, 'arm64'])
        await runs.finished({ package: name, arch }, arch === ARCH ? 'fail' : 'pass');
      await runs.finished({ package: `broken-${name}` }, 'tmpfail');
    }
    const { statusLists: lists, statusProjection: projection } = fixture.database;
    for (const arch of [ARCH, 'arm64']) while (await projection.step(arch));
    const listed = async () => {
      const { date: _, ...counts } = await stores().statusCounts(SUITE, ARCH);
      const listCounts = [
        await lists.count('failing', filter),
        await lists.count('broken', filter),
        await lists.count('changed', filter, new Date(0)),
        await lists.countSplit(filter),
      ];
      return {
        statuses: (await stores().statusOf(SUITE, ARCH)).map((run) => run.package),
        counts,
        today: (await stores().statusHistory(SUITE, ARCH, 2)).at(-1)!.total,
        failing: (await lists.failing(filter, 9, null)).map((each) => each.package),
        broken: (await lists.broken(filter, 9, null)).map((each) => each.package),
        changed: (await lists.listChanged(filter, 9, null, new Date(0))).map((each) => each.package),
        split: (await lists.split(filter, 9, null)).map((each) => each.package),
        counted: listCounts.map(({ count }) => count),
      };
    };
    const before = await listed();
    expect(before).toMatchObject({ today: 4, counted: [2, 2, 2, 2], split: ['gone', 'kept'] });
    const version = await stores().statusVersion(SUITE, ARCH);
    for (const name of ['gone', 'broken-gone']) await remove(name);
    expect(await stores().statusVersion(SUITE, ARCH)).not.toEqual(version);
    expect(await listed()).toEqual({
      statuses: ['broken-kept', 'kept'],
      counts: { pass: 0, neutral: 0, fail: 1, tmpfail: 1, total: 2 },
      today: 2,
      failing: ['kept'],
      broken: ['broken-kept'],
      changed: ['kept'],
      split: ['kept'],
      counted: [1, 1, 1, 1],
    });
    await runs.waiting({ package: 'gone', isPrivate: true });
    expect((await listed()).failing).toEqual(['kept']);
    const idOf = async () =>
      (await fixture.client.query(`select package_id as id from packages where name = 'gone'`)).rows;
    const id = await idOf();
    for (const name of ['gone', 'broken-gone']) await runs.waiting({ package: name });
    expect(await listed()).toEqual(before);
    expect(await idOf()).toEqual(id);
  });
});
