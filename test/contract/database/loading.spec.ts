import { ARCH, finish, grant, HALF_LIFE_MS, request, requeue, takeIn } from '../journal.fixture';
import { type Fixture, setUp } from './fixture';
import { Runs } from './runs';

let fixture: Fixture;
const runs = new Runs(() => fixture);

beforeAll(async () => {
  fixture = await setUp();
});
afterAll(() => fixture.close());
beforeEach(() => fixture.client.query('truncate runs, attempts, orders, facts'));

const load = () => fixture.database.journal.load(ARCH, HALF_LIFE_MS);

/** Moves the latest attempt of a run into the past. */
async function held(runId: number, grantedAgo: string, endedAgo: string | null): Promise<void> {
  await fixture.client.query(
    `update attempts set granted_at = now() - $2::interval, ended_at = now() - $3::interval where run_id = $1`,
    [runId, grantedAgo, endedAgo],
  );
}

it('gives a queue that is longer than what is read at a time, each run once and in order', async () => {
  const { submissions, journal } = fixture.database;
  const requests = Array.from({ length: 20_500 }, () => request());
  const ids = await submissions.submit(requests, fixture.submitter);
  const later = await runs.waiting({ pinPackages: [['src:glibc', 'sid']], extraAptSources: ['staging'] });
  await fixture.commit(ARCH, [takeIn(ids[0]!), grant(ids[20_100]!, 1)]);
  const loaded = (await load()).runs;
  expect(loaded.map(({ runId }) => runId)).toEqual([...ids, later]);
  expect(loaded[20_100]!.lease).toMatchObject({ worker: 'w1', state: 'leased' });
  expect(loaded.at(-1)).toMatchObject({ pinPackages: [['src:glibc', 'sid']], extraAptSources: ['staging'] });
  expect(await journal.arrivals(ARCH, 1)).toMatchObject([{ runId: ids[1] }]);
});

it('halves the slot time that was used for each half-life since', async () => {
  const { userId } = await fixture.database.users.add('bob', { isAdmin: false });
  const [recent, early, forgotten, leased, repeated] = [
    await runs.leased(),
    await runs.leased(),
    await runs.leased(),
    await runs.leased(),
    await runs.leased(),
  ];
  for (const runId of [recent, early, forgotten]) await fixture.commit(ARCH, [finish(runId, 1)]);
  await fixture.commit(ARCH, [requeue(repeated, 1)]);
  await fixture.client.query('update runs set retried_by = $2 where run_id = $1', [repeated, userId]);
  await held(recent, '10 minutes', '0 minutes');
  await held(early, '68 minutes', '60 minutes');
  await held(forgotten, '2 days', '1 day');
  await held(repeated, '121 minutes', '2 hours');
  await held(leased, '30 minutes', null);
  const { usage, runs: loaded } = await load();
  expect(usage.map(({ requestor }) => requestor)).toEqual(['ada', 'bob']);
  expect(usage[0]!.slotMs / 60_000).toBeCloseTo(10 + 8 / 2, 1);
  expect(usage[1]!.slotMs / 60_000).toBeCloseTo(1 / 4, 1);
  const held30 = loaded.find(({ runId }) => runId === leased)!.lease!.heldMs;
  expect(Math.floor(held30 / 60_000)).toBe(30);
  expect(loaded.find(({ runId }) => runId === repeated)!.requestor).toBe('bob');
});

it('charges an attempt that was given up for its lease only, whenever its result comes', async () => {
  const runId = await runs.leased();
  await fixture.commit(ARCH, [requeue(runId, 1)]);
  await held(runId, '20 minutes', '15 minutes');
  await fixture.commit(ARCH, [finish(runId, 1)]);
  const { rows } = await fixture.client.query<{ minutes: number }>(
    `select extract(epoch from ended_at - granted_at)::float8 / 60 as minutes from attempts`,
  );
  expect(rows).toEqual([{ minutes: 5 }]);
});
