import type { StoredTestbed } from '@proctor/database';
import { type Fixture, setUp } from './fixture';
import { Runs } from './runs';

let fixture: Fixture;

beforeAll(async () => {
  fixture = await setUp();
});
afterAll(() => fixture.close());

const runs = new Runs(() => fixture);

function testbed(added: Record<string, string>, rest: Partial<StoredTestbed> = {}): StoredTestbed {
  const base = Array.from({ length: 300 }, (_, n) => [`lib${n}`, `${n}.${(n * 31) % 17}-1`] as const);
  return {
    packages: { testbed: new Map(base), added: new Map(Object.entries(added)), suites: new Map() },
    kernel: 'Linux 6.1',
    fallback: null,
    withoutInitLine: null,
    tests: [{ name: 'unit', line: 12, seconds: null }],
    ...rest,
  };
}

function fetched(storedTestbed: StoredTestbed, suites: Record<string, string>): StoredTestbed {
  return {
    ...storedTestbed,
    packages: { ...storedTestbed.packages!, suites: new Map(Object.entries(suites)) },
  };
}

async function saveTestbed(runId: number, storedTestbed: StoredTestbed): Promise<number> {
  await fixture.database.runTestbeds.saveTestbed(
    (await fixture.database.results.find(runId))!,
    storedTestbed,
    {
      versions: [],
      suites: [],
    },
  );
  return runId;
}

it('what runs were executed in is read as it was kept, and equal lists are kept once', async () => {
  const many = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`dev${n}`, `${n * 7}-1`]));
  const testbeds = [
    testbed(many),
    testbed({ ...many, dev7: '50-1' }),
    testbed(many, { fallback: { line: 3, release: 'sid' }, kernel: null, withoutInitLine: 7 }),
    testbed({}, { packages: null, tests: [] }),
    fetched(testbed(many), { dev7: 'trixie-security', dev8: 'sid' }),
  ];
  const ids: number[] = [];
  for (const each of testbeds) ids.push(await saveTestbed(await runs.finished(), each));
  const storedTestbeds = await fixture.database.runTestbeds.of([...ids, 999_999]);
  expect(ids.map((runId) => storedTestbeds.get(runId))).toEqual(testbeds);
  expect(storedTestbeds.size).toBe(ids.length);
  const { rows } = await fixture.client.query<{ base: boolean; bytes: number }>(
    'select base_list is not null as base, length(content) as bytes from package_lists order by list_id',
  );
  expect(rows.map(({ base }) => base)).toEqual([false, false, true, true]);
  for (const { bytes } of rows.slice(2)) expect(bytes).toBeLessThan(100);
});

it('what was read of a later attempt is kept, and no earlier one takes its place', async () => {
  const runId = await runs.finished();
  const run = (await fixture.database.results.find(runId))!;
  const { runTestbeds } = fixture.database;
  await runTestbeds.saveTestbed({ ...run, attempt: 2 }, testbed({ a: '2' }), { versions: [], suites: [] });
  await runTestbeds.saveTestbed({ ...run, attempt: 1 }, testbed({ a: '1' }), { versions: [], suites: [] });
  expect((await runTestbeds.of([runId])).get(runId)!.packages!.added.get('a')).toBe('2');
});

it('with the testbed of a later attempt is kept what was not asked for in that one', async () => {
  const runId = await runs.finished({ package: 'elsewhere' });
  const run = (await fixture.database.results.find(runId))!;
  const versions = [{ package: 'perl', wanted: '2', installed: '1' }];
  const suites = [{ suite: 'experimental', packages: ['perl'], more: 0 }];
  const { runTestbeds, statusLists } = fixture.database;
  await runTestbeds.saveTestbed({ ...run, attempt: 1 }, testbed({}), { versions, suites: [] });
  await runTestbeds.saveTestbed({ ...run, attempt: 2 }, testbed({}), { versions: [], suites });
  const query = { suites: null, architectures: null, package: 'elsewhere' };
  expect(await statusLists.mismatches(query, 10, null)).toMatchObject([
    { runId, otherVersions: [], otherSuites: suites, fallbackRelease: null },
  ]);
});

it('a run that failed counts as affected by what had changed since the pass just before it', async () => {
  const { runTestbeds, results, publications } = fixture.database;
  const place = { package: 'affected' };
  const change = { package: 'libfoo', from: '1', to: '2' };
  const passed = await runs.finished(place);
  await runs.finished(place, 'tmpfail');
  const failedRun = await runs.finished({ ...place, pinPackages: [['src:foo', 'sid']] }, 'fail');
  const again = await runs.finished(place, 'fail');
  const later = await runs.finished(place, 'fail');
  const before = async (runId: number) =>
    (await runTestbeds.passJustBefore((await results.find(runId))!))?.runId;
  expect([await before(failedRun), await before(again), await before(later)]).toEqual([
    passed,
    passed,
    undefined,
  ]);
  const hidden = await runs.finished({ ...place, isPrivate: true }, 'fail');
  for (const runId of [failedRun, hidden]) {
    await runTestbeds.saveChanges(runId, passed, [change]);
    await runTestbeds.saveChanges(runId, passed, [change]);
  }
  const affectedBy = async (from: string | null, to: string | null) =>
    (await runTestbeds.affectedBy('libfoo', from, to, 10)).map(({ runId, passedRunId, from, to }) => {
      return { runId, passedRunId, from, to };
    });
  const openRun = { runId: failedRun, passedRunId: passed, from: '1', to: '2' };
  for (const [from, to] of [
    ['1', '2'],
    [null, '2'],
    [null, null],
  ] as const)
    expect(await affectedBy(from, to)).toEqual([openRun]);
  expect(await affectedBy('2', '3')).toEqual([]);
  await publications.publish([hidden], fixture.submitter.keyId);
  expect(await affectedBy('1', '2')).toEqual([{ ...openRun, runId: hidden }, openRun]);
});
