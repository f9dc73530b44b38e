import type { RunReader } from '@proctor/database';
import { ARCH, fail, finish, grant, request, requeue, start } from '../journal.fixture';
import { type Fixture, setUp } from './fixture';
import { Runs } from './runs';

let fixture: Fixture;
const runs = new Runs(() => fixture);

beforeAll(async () => {
  fixture = await setUp();
});
afterAll(() => fixture.close());
beforeEach(() => fixture.client.query('truncate runs, attempts, orders, facts'));

const story = (runId: number) => fixture.database.facts.ofRun(runId, { keyId: fixture.submitter.keyId });

it('the fact of a retry names who requested it, and what it repeats', async () => {
  const { userId } = await fixture.database.users.add('bob', { isAdmin: false });
  const { id } = await fixture.database.apiKeys.create('bob', 'bob');
  const original = await runs.finished();
  const retried = await fixture.database.retries.retry(original, { userId, keyId: id });
  expect(await story((retried as { runId: number }).runId)).toMatchObject([
    { kind: 'requested', state: 'queued', attempt: 0, actor: 'user bob', reason: `repeats run ${original}` },
  ]);
});

it('the table of facts names the private run that a published one repeats to those alone who may see it', async () => {
  const { keyId } = fixture.submitter;
  const original = await runs.finished({ isPrivate: true });
  const { runId } = (await fixture.database.retries.retry(original, fixture.submitter)) as { runId: number };
  await fixture.database.publications.publish([runId], keyId);
  const reasons = async (reader?: RunReader) =>
    (await fixture.database.facts.ofRun(runId, reader)).map(({ reason }) => reason);
  for (const reader of [{ keyId }, { userName: 'ada' }, { everything: true }])
    expect(await reasons(reader)).toEqual([`repeats run ${original}`, null]);
  for (const reader of [{ keyId: (await runs.otherKey()).keyId }, { userName: 'nobody' }, undefined])
    expect(await reasons(reader)).toEqual([null, null]);
  const events = await fixture.database.facts.listUnpublished(ARCH, 10);
  expect(events.filter((fact) => fact.runId === runId).map(({ reason }) => reason)).toEqual([null, null]);
  await fixture.database.publications.publish([original], keyId);
  expect(await reasons()).toEqual([`repeats run ${original}`, null]);
});

it('the fact of a publication names the key, and leaves the state', async () => {
  const waiting = await runs.waiting({ isPrivate: true });
  const finishedRun = await runs.finished({ isPrivate: true });
  await fixture.database.publications.publish([waiting, finishedRun], fixture.submitter.keyId);
  const published = { kind: 'published', actor: 'user ada', reason: null, verdict: null };
  expect((await story(waiting)).at(-1)).toMatchObject({ ...published, state: 'queued', attempt: 0 });
  expect((await story(finishedRun)).at(-1)).toMatchObject({ ...published, state: 'finished', attempt: 1 });
});

it('the table of facts has one for each run of a long list, with ids of its own', async () => {
  const runIds = await fixture.database.submissions.submit(
    Array.from({ length: 5000 }, () => request()),
    fixture.submitter,
  );
  const facts = await fixture.database.facts.listUnpublished(ARCH, 10_000);
  expect(facts.map(({ runId }) => runId).sort((a, b) => a - b)).toEqual(runIds);
  expect(new Set(facts.map(({ factId }) => factId)).size).toBe(runIds.length);
});

it('the table of facts stays beside what each attempt left: verdict, exit code, sizes', async () => {
  const [runId] = (await fixture.database.submissions.submit([request()], fixture.submitter)) as [number];
  const files = [{ name: 'artifacts.tar.gz' as const, size: 5_000_000_000 }];
  await fixture.commit(ARCH, [grant(runId, 1), start(runId, 1), fail(runId, 1, { files })]);
  await fixture.commit(ARCH, [grant(runId, 2), requeue(runId, 2), grant(runId, 3), finish(runId, 3)]);
  const { rows } = await fixture.client.query(
    `select outcome, reason, verdict, exit_code, log_size, artifacts_size from attempts order by attempt`,
  );
  const none = { verdict: null, exit_code: null, log_size: null, artifacts_size: null };
  expect(rows).toEqual([
    {
      outcome: 'failed',
      reason: 'no testbed',
      verdict: 'tmpfail',
      exit_code: 16,
      log_size: null,
      artifacts_size: 5_000_000_000,
    },
    { outcome: 'expired', reason: 'the lease expired', ...none },
    { ...none, outcome: 'finished', reason: null, verdict: 'pass', exit_code: 0, log_size: 1234 },
  ]);
});

it('the table of facts keeps the order of a run whose dispatcher and users write at the same time', async () => {
  for (let round = 0; round < 10; round += 1) {
    const runId = await runs.waiting({ priority: 1, isPrivate: true });
    const { userId, keyId } = fixture.submitter;
    await Promise.all([
      fixture.commit(ARCH, [grant(runId, 1), start(runId, 1)]),
      fixture.database.publications.publish([runId], keyId),
      fixture.database.decisions.reprioritise({ runIds: [runId] }, 2, { userId, userName: 'ada' }),
    ]);
    const states = (await story(runId)).map(({ kind, state }) => [kind, state] as const);
    let state: string = 'queued';
    for (const [kind, after] of states) {
      if (kind === 'granted') state = 'leased';
      if (kind === 'started') state = 'running';
      expect(after).toBe(state);
    }
    expect(state).toBe('running');
  }
});
