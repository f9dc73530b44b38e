import type { RunRequest } from '@proctor/contracts';
import { DATABASE_LIMITS, type SupersedeRule, type Submitter } from '@proctor/database';
import { connectTo } from '@test/support/database';
import { ARCH, request } from '../journal.fixture';
import { type Fixture, lockAwaited, setUp } from './fixture';
import { Runs } from './runs';

let fixture: Fixture;
const runs = new Runs(() => fixture);

beforeAll(async () => {
  fixture = await setUp();
});
afterAll(() => fixture.close());
beforeEach(() => fixture.client.query('truncate runs, attempts, orders, facts'));

const { suite: SUITE } = request();
const [OLDER, NEWER] = ['glibc/2.42-1', 'glibc/2.42-2'];
/** Such a trigger is not compared. */
const LONG = 'x'.repeat(10_000);
const WAITING_ONLY: SupersedeRule = { suite: SUITE, running: false, acrossUsers: false };
const older = (change: Partial<RunRequest> = {}, submitter?: Submitter) =>
  runs.waiting({ trigger: OLDER, ...change }, submitter);

/** Submits new runs and ends those that they supersede. @returns the ids of the new ones */
async function supersede(
  changes: Partial<RunRequest>[] = [{}],
  rule: Partial<SupersedeRule> = {},
  submitter = fixture.submitter,
): Promise<number[]> {
  const requests = changes.map((change) => request({ trigger: NEWER, ...change }));
  const runIds = await fixture.database.submissions.submit(requests, submitter);
  await fixture.database.superseding.apply(runIds, [{ ...WAITING_ONLY, ...rule }]);
  return runIds;
}

async function otherUser(name: string): Promise<Submitter> {
  const { userId } = await fixture.database.users.add(name, { isAdmin: false });
  return { userId, keyId: (await fixture.database.apiKeys.create(name, 'test')).id };
}

const find = async (runId: number) => (await fixture.database.results.find(runId))!;
const stateOf = async (runId: number) => (await find(runId)).state;

it('a newer version ends a waiting run, which names the new one, counts for no package and has a fact and an order', async () => {
  const runId = await older();
  const [newRunId] = await supersede();
  expect(await find(runId)).toMatchObject({
    state: 'finished',
    verdict: 'tmpfail',
    cancelled: true,
    version: 'n/a',
    supersededBy: newRunId,
    message: `superseded by run ${newRunId}`,
  });
  expect(await find(newRunId!)).toMatchObject({ state: 'queued', supersededBy: null });
  expect((await fixture.database.facts.ofRun(runId)).at(-1)).toMatchObject({
    kind: 'superseded',
    state: 'finished',
    actor: 'user ada',
    reason: `superseded by run ${newRunId}`,
    verdict: 'tmpfail',
  });
  const { rows } = await fixture.client.query('select kind, run_id from orders');
  expect(rows).toEqual([{ kind: 'cancel', run_id: runId }]);
});

it.each<[string, Partial<RunRequest>, Partial<RunRequest>]>([
  ['an older version', { trigger: NEWER }, { trigger: OLDER }],
  ['another package', { package: 'gcc' }, {}],
  ['another suite', { suite: 'sid' }, {}],
  ['another architecture', { arch: 'arm64' }, {}],
  ['another backend', { backend: 'qemu' }, {}],
  ['another variant', { variant: 'newest' }, {}],
  ['other pins', { pinPackages: [['src:perl', 'sid']] }, {}],
  ['other sources', { extraAptSources: ['backports'] }, {}],
  ['no trigger', { trigger: null }, {}],
  ['a private run of the same key', { isPrivate: true }, {}],
  ['a public run, for a private one', {}, { isPrivate: true }],
  ['a trigger that is too long', { trigger: `${OLDER} ${LONG}` }, { trigger: `${NEWER} ${LONG}` }],
])('a run stays where the new one is of %s', async (_difference, before, after) => {
  const runId = await older(before);
  await supersede([after]);
  expect(await stateOf(runId)).toBe('queued');
});

it('a run stays in a suite without the rule', async () => {
  const runId = await older();
  await supersede([{}], { suite: 'sid' });
  expect(await stateOf(runId)).toBe('queued');
});

it('a private run ends for a newer one of its key, not for one of another key', async () => {
  const runId = await older({ isPrivate: true });
  const otherKey = await runs.otherKey();
  await supersede([{ isPrivate: true }], { acrossUsers: true }, otherKey);
  expect(await stateOf(runId)).toBe('queued');
  await supersede([{ isPrivate: true }]);
  expect(await stateOf(runId)).toBe('finished');
});

it('a run of another user ends only where the rule says so', async () => {
  const [runId, bob] = [await older(), await otherUser('bob')];
  await supersede([{}], {}, bob);
  expect(await stateOf(runId)).toBe('queued');
  await supersede([{}], { acrossUsers: true }, bob);
  expect(await stateOf(runId)).toBe('finished');
});

it('leased and running runs end only where the rule says so', async () => {
  const runIds = [await runs.leased({ trigger: OLDER }), await runs.running({ trigger: OLDER })];
  await supersede();
  expect(await Promise.all(runIds.map(stateOf))).toEqual(['leased', 'running']);
  await supersede([{}], { running: true });
  expect(await Promise.all(runIds.map(stateOf))).toEqual(['finished', 'finished']);
  const { rows } = await fixture.client.query('select distinct outcome from attempts');
  expect(rows).toEqual([{ outcome: 'cancelled' }]);
});

it('a run that begins meanwhile stays', async () => {
  const runId = await older();
  const dispatcher = await connectTo(fixture.url);
  await dispatcher.query('begin');
  await dispatcher.query(
    `update runs set state = 'leased', attempt = 1, worker = 'w1', taken_in = true where run_id = $1`,
    [runId],
  );
  const superseded = supersede();
  await lockAwaited(fixture.url, 'order by run_id for no key update');
  await dispatcher.query('commit');
  await dispatcher.end();
  await superseded;
  expect(await stateOf(runId)).toBe('leased');
});

it('a retry of a superseded run stays', async () => {
  const runId = await older();
  await supersede();
  const retry = await fixture.database.retries.retry(runId, fixture.submitter);
  expect(retry).toMatchObject({ kind: 'created' });
  await supersede([{ trigger: 'glibc/2.42-3' }]);
  const { rows } = await fixture.client.query('select state from runs where retry_of = $1', [runId]);
  expect(rows).toEqual([{ state: 'queued' }]);
});

it('the last of several new runs of a test counts, also for earlier ones of its list', async () => {
  const runId = await older();
  const [first, second] = await supersede([{}, { trigger: 'glibc/2.42-3' }]);
  expect(await find(runId)).toMatchObject({ supersededBy: second });
  expect(await find(first!)).toMatchObject({ supersededBy: second });
  expect(await stateOf(second!)).toBe('queued');
});

it('more runs than one transaction may change end in steps', async () => {
  const { rowsPerTransactionMax } = DATABASE_LIMITS;
  const count = 2 * rowsPerTransactionMax + 1;
  const packages = Array.from({ length: count }, (_none, index) => ({ package: `package-${index}` }));
  await fixture.database.submissions.submit(
    packages.map((change) => request({ trigger: OLDER, ...change })),
    fixture.submitter,
  );
  await supersede(packages);
  const { rows } = await fixture.client.query(
    `select trigger, state, count(*)::integer from runs where arch = $1 group by trigger, state order by trigger`,
    [ARCH],
  );
  expect(rows).toEqual([
    { trigger: OLDER, state: 'finished', count },
    { trigger: NEWER, state: 'queued', count },
  ]);
});
