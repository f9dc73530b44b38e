import type { RunRequest, Verdict } from '@proctor/contracts';
import type { HistoryFilter } from '@proctor/database';
import { ARCH, finish, grant } from '../journal.fixture';
import { type Fixture, setUp } from './fixture';
import { ids, Runs } from './runs';

let fixture: Fixture;

beforeAll(async () => {
  fixture = await setUp();
});
afterAll(() => fixture.close());
beforeEach(() => fixture.client.query('truncate runs, attempts, orders, packages'));

const runs = new Runs(() => fixture);
const all: HistoryFilter = { verdicts: null, trigger: null, isPinned: null };

function history(change: Partial<HistoryFilter>, before: number | null = null): Promise<number[]> {
  const { packagePages } = fixture.database;
  return packagePages.history(['hello', 'bookworm', ARCH], { ...all, ...change }, 10, before).then(ids);
}

const finishedRun = (change: Partial<RunRequest> = {}, verdict: Verdict = 'pass') =>
  runs.finished(change, verdict);

it('packages are found by a part of their names, the very name first, private ones never', async () => {
  const { packagePages } = fixture.database;
  for (const name of ['libhello', 'hello-world', 'hello', 'othello', 'curl'])
    await runs.waiting({ package: name });
  await runs.waiting({ package: 'hello-secret', isPrivate: true });
  expect(await packagePages.search('hello', 10)).toEqual(['hello', 'hello-world', 'othello', 'libhello']);
  expect(await packagePages.search('hello', 1)).toEqual(['hello']);
  expect(await packagePages.search('%', 10)).toEqual([]);
  expect(
    await Promise.all(['hello', 'hello-secret', 'hell'].map((name) => packagePages.isKnown(name))),
  ).toEqual([true, false, false]);
});

it('the unfinished runs of a package begin with those that are executed', async () => {
  const waiting = await runs.waiting();
  const urgent = await runs.waiting({ priority: 9 });
  const running = await runs.running();
  await finishedRun();
  await runs.waiting({ isPrivate: true });
  await runs.waiting({ package: 'curl' });
  const { packagePages } = fixture.database;
  expect(ids(await packagePages.listUnfinished('hello', 10))).toEqual([running, urgent, waiting]);
  expect(ids(await packagePages.listUnfinished('hello', 1))).toEqual([running]);
});

it('the first errors of several runs are read together, of private ones never', async () => {
  const error = { signature: 'ab', excerpt: { firstLine: 3, errorLine: 4, lines: ['x', 'E: broken'] } };
  const failedRun = async (change: Partial<RunRequest>, outcome: object): Promise<number> => {
    const runId = await runs.leased(change);
    await fixture.commit(ARCH, [finish(runId, 1, { verdict: 'fail', ...outcome })]);
    return runId;
  };
  const [withError, silent] = [await failedRun({}, { error }), await failedRun({}, {})];
  const secret = await failedRun({ isPrivate: true }, { error });
  expect(await fixture.database.packagePages.errorsOf([withError, silent, secret])).toEqual(
    new Map([[withError, error]]),
  );
});

it('a history is filtered by status, by a part of the trigger, and by pins', async () => {
  const first = await finishedRun({ trigger: 'glibc/2.40-1' });
  const failedRunId = await finishedRun({ trigger: 'Gcc-14/14.2' }, 'fail');
  const pinned = await finishedRun({ pinPackages: [['src:glibc', 'sid']] }, 'tmpfail');
  const extra = await finishedRun({ extraAptSources: ['staging'] });
  await finishedRun({ isPrivate: true });
  await finishedRun({ package: 'curl' });
  await finishedRun({ suite: 'trixie' });
  await runs.running();
  expect(await history({})).toEqual([extra, pinned, failedRunId, first]);
  expect(await history({ verdicts: ['fail', 'tmpfail'] })).toEqual([pinned, failedRunId]);
  expect(await history({ trigger: 'gcc-14/' })).toEqual([failedRunId]);
  expect(await history({ trigger: '%' })).toEqual([]);
  expect(await history({ isPinned: true })).toEqual([extra, pinned]);
  expect(await history({ isPinned: false })).toEqual([failedRunId, first]);
  expect(await history({}, pinned)).toEqual([failedRunId, first]);
  expect(await history({ verdicts: ['pass'] }, pinned)).toEqual([first]);
});

it('a history begins nowhere behind a run that is no finished public run of its place', async () => {
  await finishedRun();
  const strangers = [
    await finishedRun({ isPrivate: true }),
    await finishedRun({ suite: 'trixie' }),
    await runs.running(),
  ];
  for (const stranger of strangers) expect(await history({}, stranger)).toEqual([]);
});

it('a numbered page of a history begins behind the last run of the page before', async () => {
  const { packagePages } = fixture.database;
  const behind = (passed: number, change: Partial<HistoryFilter> = {}): Promise<number | null> =>
    packagePages.runBehind(['hello', 'bookworm', ARCH], { ...all, ...change }, passed);
  const [, second, , fourth] = [
    await finishedRun({}, 'fail'),
    await finishedRun(),
    await finishedRun(),
    await finishedRun(),
  ];
  await finishedRun({ isPrivate: true });
  expect(await behind(1)).toBe(fourth);
  expect(await behind(3)).toBe(second);
  // No page begins where the history ends.
  expect(await behind(4)).toBeNull();
  expect(await behind(9)).toBeNull();
  expect(await behind(3, { verdicts: ['pass'] })).toBeNull();
});

it('the version of a package is another after each change of what its pages show, and none of a private one', async () => {
  const { packagePages, statusProjection } = fixture.database;
  const versions = new Set<string>();
  const look = async (): Promise<number> => versions.add(await packagePages.version('hello')).size;
  const runId = await runs.waiting();
  expect(await look()).toBe(1);
  expect(await look()).toBe(1);
  await fixture.commit(ARCH, [grant(runId, 1)]);
  expect(await look()).toBe(2);
  await fixture.commit(ARCH, [finish(runId, 1, { verdict: 'fail' })]);
  expect(await look()).toBe(3);
  while (await statusProjection.step(ARCH));
  expect(await look()).toBe(4);
  await runs.waiting({ isPrivate: true });
  await runs.waiting({ package: 'hidden', isPrivate: true });
  expect(await look()).toBe(4);
  expect(await packagePages.version('hidden')).toBe('');
});
