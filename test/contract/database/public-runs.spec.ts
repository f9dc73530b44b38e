import type { RunRequest } from '@proctor/contracts';
import { ARCH, finish } from '../journal.fixture';
import { type Fixture, setUp } from './fixture';
import { ids, Runs } from './runs';

let fixture: Fixture;

beforeAll(async () => {
  fixture = await setUp();
});
afterAll(() => fixture.close());
beforeEach(() => fixture.client.query('truncate runs, attempts, orders'));

const runs = new Runs(() => fixture);
const waiting = (change: Partial<RunRequest> = {}) => runs.waiting(change);
const leased = (change: Partial<RunRequest> = {}) => runs.leased(change);
const running = (change: Partial<RunRequest> = {}) => runs.running(change);
const finishedRun = (change: Partial<RunRequest> = {}) => runs.finished(change);

/** What must not be seen of a package on its page. */
async function strangers(): Promise<void> {
  await finishedRun({ isPrivate: true });
  await finishedRun({ package: 'other' });
  await finishedRun({ suite: 'trixie' });
  await finishedRun({ arch: 'arm64' });
  await running();
  await waiting();
}

it('the latest run of a package is the newest finished public one without pins or extra sources', async () => {
  const { publicRuns } = fixture.database;
  expect(await publicRuns.latest('bookworm', ARCH, 'hello')).toBeNull();
  await finishedRun();
  const newest = await finishedRun();
  await finishedRun({ pinPackages: [['src:glibc', 'sid']] });
  await finishedRun({ extraAptSources: ['staging'] });
  await runs.cancelled();
  await strangers();
  expect(await publicRuns.latest('bookworm', ARCH, 'hello')).toMatchObject({
    runId: newest,
    verdict: 'pass',
  });
});

it('the latest run of a package is the one that finished last, not the one that was asked for last', async () => {
  const first = await leased();
  const second = await leased();
  await fixture.commit(ARCH, [finish(second, 1)]);
  await fixture.commit(ARCH, [finish(first, 1)]);
  expect(await fixture.database.publicRuns.latest('bookworm', ARCH, 'hello')).toMatchObject({
    runId: first,
  });
});

it('the history of a package is its finished public runs, newest first, pinned ones too', async () => {
  const first = await finishedRun();
  const pinned = await finishedRun({ pinPackages: [['src:glibc', 'sid']] });
  const last = await finishedRun();
  await strangers();
  const { publicRuns } = fixture.database;
  expect(ids(await publicRuns.history('bookworm', ARCH, 'hello', 10))).toEqual([last, pinned, first]);
  expect(ids(await publicRuns.history('bookworm', ARCH, 'hello', 2))).toEqual([last, pinned]);
});

it('an older part of the history begins behind a run of it', async () => {
  const [first, second, third, last] = [
    await finishedRun(),
    await finishedRun(),
    await finishedRun(),
    await finishedRun(),
  ];
  const older = async (limit: number, before: number) =>
    ids(await fixture.database.publicRuns.history('bookworm', ARCH, 'hello', limit, before));
  expect(await older(2, last)).toEqual([third, second]);
  expect(await older(2, second)).toEqual([first]);
  expect(await older(2, first)).toEqual([]);
});

it('an older part of the history is empty behind a run that is not in it: nothing is learnt of a private one', async () => {
  await finishedRun();
  const others = [
    await finishedRun({ isPrivate: true }),
    await finishedRun({ package: 'other' }),
    await waiting(),
  ];
  for (const other of [...others, 2_000_000_000]) {
    expect(await fixture.database.publicRuns.history('bookworm', ARCH, 'hello', 10, other)).toEqual([]);
  }
});

it('an older part of the history has the cancelled runs', async () => {
  const runId = await runs.cancelled();
  const [record] = await fixture.database.publicRuns.history('bookworm', ARCH, 'hello', 1);
  expect(record).toMatchObject({ runId, cancelled: true });
});

it('the store of public runs counts the runs that wait for the same test: public ones, and private ones of the key', async () => {
  const { publicRuns } = fixture.database;
  const pins: Partial<RunRequest> = { pinPackages: [['src:glibc', 'sid']] };
  const [plain, pinned] = [await finishedRun(), await finishedRun(pins)];
  await waiting({ trigger: 'another trigger', priority: 9 });
  await waiting({ isPrivate: true });
  for (const change of [{ suite: 'sid' }, { arch: 'arm64' }, { variant: 'slow' }, { backend: 'qemu' }])
    await waiting(change);
  await waiting(pins);
  await running();
  const { keyId } = fixture.submitter;
  const other = (await runs.otherKey()).keyId;
  expect(await publicRuns.equalWaiting({ runId: plain }, keyId)).toBe(2);
  expect(await publicRuns.equalWaiting({ runId: plain }, other)).toBe(1);
  expect(await publicRuns.equalWaiting({ runId: plain }, null)).toBe(1);
  expect(await publicRuns.equalWaiting({ runId: pinned }, keyId)).toBe(1);
});

it('the store of public runs lists running: leased and started public runs, the longest running first', async () => {
  await running({ isPrivate: true });
  await waiting();
  await finishedRun();
  const granted = await leased();
  const first = await running();
  const second = await running();
  expect(ids(await fixture.database.publicRuns.running(10))).toEqual([first, second, granted]);
  expect(ids(await fixture.database.publicRuns.running(1))).toEqual([first]);
});

it('the store of public runs lists recent: finished public runs, newest first', async () => {
  await finishedRun({ isPrivate: true });
  await running();
  const first = await finishedRun();
  const second = await finishedRun({ arch: 'arm64' });
  expect(ids(await fixture.database.publicRuns.recent(10))).toEqual([second, first]);
  expect(ids(await fixture.database.publicRuns.recent(1))).toEqual([second]);
});

it('the store of public runs lists waiting: queued public runs, by priority, then by arrival', async () => {
  await waiting({ isPrivate: true, priority: 10 });
  await running();
  const usual = await waiting();
  const later = await waiting();
  const urgent = await waiting({ priority: 9 });
  expect(ids(await fixture.database.publicRuns.waiting(10))).toEqual([urgent, usual, later]);
  expect(ids(await fixture.database.publicRuns.waiting(1))).toEqual([urgent]);
});

it('the store of public runs counts every queue, private runs for administrators alone', async () => {
  const oldest = await waiting({ isPrivate: true });
  const open = await waiting();
  await leased();
  await running({ isPrivate: true });
  await finishedRun();
  await running({ arch: 'arm64' });
  await waiting({ suite: 'trixie' });
  await waiting({ suite: 'sid', isPrivate: true });
  const since = async (runId: number) => (await fixture.database.results.find(runId))!.createdAt;
  const others = [
    { suite: 'bookworm', arch: 'arm64', waiting: 0, running: 1, oldestAt: null },
    { suite: 'trixie', arch: 'amd64', waiting: 1, running: 0, oldestAt: expect.any(Date) },
  ];
  const { publicRuns } = fixture.database;
  expect(await publicRuns.queues()).toEqual([
    { suite: 'bookworm', arch: 'amd64', waiting: 1, running: 1, oldestAt: await since(open) },
    ...others,
  ]);
  expect(await publicRuns.queues(true)).toEqual([
    { suite: 'bookworm', arch: 'amd64', waiting: 2, running: 2, oldestAt: await since(oldest) },
    others[0],
    { suite: 'sid', arch: 'amd64', waiting: 1, running: 0, oldestAt: expect.any(Date) },
    others[1],
  ]);
});

it('the user with the most waiting public runs is the one who requested or retried them', async () => {
  const { publicRuns, users, apiKeys, retries } = fixture.database;
  const everything = { suite: null, arch: null };
  expect(await publicRuns.waitingShare(everything)).toBeNull();
  const { userId } = await users.add('grace', { isAdmin: false });
  const grace = { userId, keyId: (await apiKeys.create('grace', 'test')).id };
  for (let run = 0; run < 3; run++) await runs.waiting({ isPrivate: true });
  await runs.waiting({ suite: 'sid' });
  await runs.waiting({}, grace);
  await running();
  expect(await publicRuns.waitingShare(everything)).toMatchObject({ count: 1, of: 2 });
  await retries.retry(await finishedRun(), { ...grace, userName: 'grace', isAdmin: false } as never);
  expect(await publicRuns.waitingShare(everything)).toEqual({ user: 'grace', count: 2, of: 3 });
  expect(await publicRuns.waitingShare({ suite: 'sid', arch: ARCH })).toEqual({
    user: 'ada',
    count: 1,
    of: 1,
  });
  expect(await publicRuns.waitingShare({ suite: null, arch: 'other' })).toBeNull();
});
