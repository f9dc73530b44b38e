import { FIND } from '@libs/database/src/runs/own-runs';
import { type Fixture, setUp } from './fixture';
import { scans } from './plan';
import { ids, Runs } from './runs';

const ALL = {};
let fixture: Fixture;
let bob: Fixture['submitter'];
const runs = new Runs(() => fixture);

beforeAll(async () => {
  fixture = await setUp();
  const { userId } = await fixture.database.users.add('bob', { isAdmin: false });
  const { id: keyId } = await fixture.database.apiKeys.create('bob', 'bob');
  bob = { ...fixture.submitter, userId, keyId };
});
afterAll(() => fixture.close());
beforeEach(() => fixture.client.query('truncate runs, attempts, orders'));

async function retry(runId: number, by: Fixture['submitter']): Promise<number> {
  const answer = await fixture.database.retries.retry(runId, by);
  if (answer.kind !== 'created') throw new Error(`the retry was not created: ${answer.kind}`);
  return answer.runId;
}

it('a retry of another user’s run is in the lists of both, once, with both names', async () => {
  const { ownRuns } = fixture.database;
  const before = await ownRuns.version('bob', null);
  const first = await runs.finished();
  const own = await retry(first, fixture.submitter);
  const other = await runs.finished({ package: 'curl' });
  expect(await ownRuns.version('bob', null)).toBe(before);
  const retried = await retry(other, bob);
  expect(await ownRuns.version('bob', null)).not.toBe(before);
  const ofAda = await ownRuns.find(fixture.submitter.userId, ALL, 10, null);
  expect(ofAda.runs.map(({ runId, requestor, retrier }) => [runId, requestor, retrier])).toEqual([
    [retried, 'ada', 'bob'],
    [other, 'ada', null],
    [own, 'ada', 'ada'],
    [first, 'ada', null],
  ]);
  const ofBob = await ownRuns.find(bob.userId, ALL, 10, null);
  expect(ofBob.runs).toMatchObject([{ runId: retried, requestor: 'ada', retrier: 'bob' }]);
  expect((await ownRuns.find(bob.userId, ALL, 10, retried)).runs).toEqual([]);
  expect(ids(await ownRuns.byId(bob.userId, [first, own, other, retried]))).toEqual([retried]);
});

it('a private run that another user retried is in the list of its requestor alone', async () => {
  const { ownRuns } = fixture.database;
  const retried = await retry(await runs.finished({ isPrivate: true }), {
    ...bob,
    keyId: fixture.submitter.keyId,
  });
  expect(ids((await ownRuns.find(fixture.submitter.userId, ALL, 10, null)).runs)).toContain(retried);
  expect((await ownRuns.find(bob.userId, ALL, 10, null)).runs).toEqual([]);
  expect(await ownRuns.byId(bob.userId, [retried])).toEqual([]);
});

it('a user’s list is read from indexes, whatever the number of runs', async () => {
  await fixture.client.query(
    `insert into runs (package, suite, arch, backend, variant, priority, pin_packages, extra_apt_sources, is_private,
       requestor_id, api_key_id, retried_by, created_at, updated_at)
     select 'many', 'bookworm', 'amd64', 'unshare', 'autopkgtest', 5, '[]', '[]', false, $1::integer, $2::integer,
       case when n % 100 = 0 then $3::integer end, now(), now()
     from generate_series(1, 30000) n`,
    [fixture.submitter.userId, fixture.submitter.keyId, bob.userId],
  );
  await fixture.client.query('analyze runs');
  for (const userId of [fixture.submitter.userId, bob.userId]) {
    const parameters = `${userId}, null, 50000, null, null, null, null, null, null, null, 51`;
    // Parameters are known when the statement is planned.
    const read = await scans(fixture.client, FIND, parameters, 'runs', 'custom');
    expect(read).toEqual([expect.stringMatching(/^Index Scan: /), 'Index Scan: runs_retried']);
  }
});
