import { ARCH, finish, grant, request } from '../journal.fixture';
import { connectTo } from '@test/support/database';
import { type Fixture, lockAwaited, setUp } from './fixture';
import { ids, Runs } from './runs';

let fixture: Fixture;
const runs = new Runs(() => fixture);

beforeAll(async () => {
  fixture = await setUp();
});
afterAll(() => fixture.close());
beforeEach(() => fixture.client.query('truncate runs, attempts, orders, packages'));

const publish = (runIds: number[], keyId = fixture.submitter.keyId) =>
  fixture.database.publications.publish(runIds, keyId);

async function packagesOf(prefix: string): Promise<string[]> {
  const filter = { state: null, suite: null, arch: null, staleBefore: new Date(0) };
  const { packages } = await fixture.database.prefixPages.part(prefix, filter, 100, null);
  return packages.map(({ name }) => name);
}

it('a publication shows own private runs to everybody, finished or not, and says which', async () => {
  const waiting = await runs.waiting({ isPrivate: true });
  const finishedRun = await runs.finished({ isPrivate: true });
  const isPublic = await runs.finished();
  const privateRun = await runs.finished({ isPrivate: true });
  expect(await publish([finishedRun, isPublic, waiting, waiting, 2_000_000_000, 10 ** 12])).toEqual([
    waiting,
    finishedRun,
  ]);
  const { publicRuns } = fixture.database;
  expect(ids(await publicRuns.history('bookworm', ARCH, 'hello', 10))).toEqual([isPublic, finishedRun]);
  expect(ids(await publicRuns.waiting(10))).toEqual([waiting]);
  expect(await fixture.database.results.find(privateRun)).toMatchObject({ isPrivate: true });
  expect(await publish([finishedRun])).toEqual([]);
  expect(await publish([])).toEqual([]);
});

it('a publication touches no run of another key', async () => {
  const runId = await runs.finished({ isPrivate: true });
  expect(await publish([runId], (await runs.otherKey()).keyId)).toEqual([]);
  expect(await fixture.database.results.find(runId)).toMatchObject({ isPrivate: true });
});

it('a publication is an update of the run, and makes its package known', async () => {
  const runId = await runs.finished({ isPrivate: true, package: 'secret' });
  const before = (await fixture.database.results.find(runId))!;
  expect(await packagesOf('s')).toEqual([]);
  await publish([runId]);
  const after = (await fixture.database.results.find(runId))!;
  expect(after.updatedAt.getTime()).toBeGreaterThan(before.updatedAt.getTime());
  expect({ ...after, isPrivate: true, updatedAt: before.updatedAt }).toEqual(before);
  expect(await packagesOf('s')).toEqual(['secret']);
});

it('a publication keeps what a dispatcher writes at the same time, and loses nothing of it', async () => {
  const [first, second] = [await runs.waiting({ isPrivate: true }), await runs.waiting({ isPrivate: true })];
  await fixture.commit(ARCH, [grant(first, 1), grant(second, 1)]);
  const lockingClient = await connectTo(fixture.url);
  await lockingClient.query('begin');
  await lockingClient.query('select 1 from runs where run_id = $1 for no key update', [first]);
  const published = publish([first, second]);
  await lockAwaited(fixture.url, 'set is_private = false');
  await lockingClient.query('commit');
  await lockingClient.end();
  await fixture.commit(ARCH, [finish(second, 1), finish(first, 1)]);
  expect(await published).toEqual([first, second]);
  expect(await fixture.database.results.find(first)).toMatchObject({ isPrivate: false, state: 'finished' });
});

it('a publication and a dispatcher that writes the same runs in another order do not wait for each other in a circle', async () => {
  const { submissions } = fixture.database;
  for (let round = 0; round < 10; round += 1) {
    const requests = Array.from({ length: 40 }, () => request({ isPrivate: true }));
    const runIds = await submissions.submit(requests, fixture.submitter);
    await fixture.commit(
      ARCH,
      runIds.map((runId) => grant(runId, 1)),
    );
    const backwards = runIds.toReversed().map((runId) => finish(runId, 1));
    const [one, other] = await Promise.all([
      publish(runIds),
      publish(runIds.toReversed()),
      fixture.commit(
        ARCH,
        backwards.filter((_, place) => place % 2 === 0),
      ),
    ]);
    expect([...one, ...other].sort((a, b) => a - b)).toEqual(runIds);
  }
});
