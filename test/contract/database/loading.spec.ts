import { ARCH, finish, grant, HALF_LIFE_MS, request, requeue } from '../journal.fixture';
import { type Fixture, setUp } from './fixture';
import { Runs } from './runs';

let fixture: Fixture;
const runs = new Runs(() => fixture);

beforeAll(async () => {
  fixture = await setUp();
});
afterAll(() => fixture.close());
beforeEach(() => fixture.client.query('truncate runs, attempts, orders, facts, usage'));

const load = () => fixture.database.journal.load(ARCH, HALF_LIFE_MS);

/** Moves the latest attempt of a run into the past. */
async function addLease(runId: number, grantedAgo: string, endedAgo: string | null): Promise<void> {
  await fixture.client.query(
    `update attempts set granted_at = now() - $2::interval, ended_at = now() - $3::interval where run_id = $1`,
    [runId, grantedAgo, endedAgo],
  );
}

it('a load gives a queue that is longer than what is read at a time, each run once and in order', async () => {
  const { submissions } = fixture.database;
  const requests = Array.from({ length: 20_500 }, () => request());
  const ids = await submissions.submit(requests, fixture.submitter);
  const later = await runs.waiting({ pinPackages: [['src:glibc', 'sid']], extraAptSources: ['staging'] });
  await fixture.commit(ARCH, [grant(ids[20_100]!, 1)]);
  const loaded = (await load()).runs;
  expect(loaded.map(({ runId }) => runId)).toEqual([...ids, later]);
  expect(loaded[20_100]!.lease).toMatchObject({ worker: 'w1', state: 'leased' });
  expect(loaded.at(-1)).toMatchObject({ pinPackages: [['src:glibc', 'sid']], extraAptSources: ['staging'] });
});

it('a load halves the slot time that was used for each half-life since, however many there were', async () => {
  const { userId } = await fixture.database.users.add('bob', { isAdmin: false });
  const usage = (requestor: string, slotMs: number) => ({
    kind: 'usage' as const,
    requestor,
    slotMs,
    publicSlotMs: slotMs / 2,
  });
  await fixture.commit(ARCH, [usage('ada', 800_000), usage('bob', 800_000), usage('nobody', 1)]);
  const past = (user: number, ago: string) =>
    fixture.client.query('update usage set at = now() - $2::interval where user_id = $1', [user, ago]);
  await past(fixture.submitter.userId, '2 hours');
  await past(userId, '40 years');
  const used = await load();
  expect(used.usage.map(({ requestor }) => requestor)).toEqual(['ada', 'bob']);
  expect(used.usage[0]!.slotMs / 1_000).toBeCloseTo(200, 0);
  expect(used.usage[1]!.slotMs).toBeCloseTo(0, 6);
});

it('a load charges an attempt that was given up for its lease only, whenever its result comes', async () => {
  const runId = await runs.leased();
  await fixture.commit(ARCH, [requeue(runId, 1)]);
  await addLease(runId, '20 minutes', '15 minutes');
  await fixture.commit(ARCH, [finish(runId, 1)]);
  const { rows } = await fixture.client.query<{ minutes: number }>(
    `select extract(epoch from ended_at - granted_at)::float8 / 60 as minutes from attempts`,
  );
  expect(rows).toEqual([{ minutes: 5 }]);
});
