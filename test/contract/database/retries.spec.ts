import type { RunRequest } from '@proctor/contracts';
import { ARCH, request } from '../journal.fixture';
import { type Fixture, setUp } from './fixture';
import { Runs } from './runs';
import { readSince } from '@test/support/results-since';

let fixture: Fixture;
const runs = new Runs(() => fixture);

beforeAll(async () => {
  fixture = await setUp();
});
afterAll(() => fixture.close());
beforeEach(() => fixture.client.query('truncate runs, attempts, orders'));

const retry = (runId: number, by = fixture.submitter) => fixture.database.retries.retry(runId, by);

it('a retry asks for the same again, for the one who asked first, and charges the one who retried', async () => {
  const { userId } = await fixture.database.users.add('bob', { isAdmin: false });
  const { id } = await fixture.database.apiKeys.create('bob', 'bob');
  const requestedRun: RunRequest = request({
    package: 'libfoo',
    priority: 9,
    trigger: 'glibc/2.36',
    pinPackages: [['src:glibc', 'sid']],
    extraAptSources: ['staging'],
    variant: 'slow',
  });
  const runId = await runs.finished(requestedRun);
  const retried = (await retry(runId, { userId, keyId: id })) as { kind: string; runId: number };
  expect(retried).toEqual({ kind: 'created', runId: expect.any(Number) });
  expect(await fixture.database.results.find(retried.runId)).toMatchObject({
    ...requestedRun,
    state: 'queued',
    attempt: 0,
    retryOf: runId,
    keyId: fixture.submitter.keyId,
    requestor: 'ada',
  });
  const [arrived] = (await fixture.database.journal.arrivals(ARCH, 10)).runs;
  expect(arrived).toMatchObject({ ...requestedRun, runId: retried.runId, requestor: 'bob', attemptsLost: 0 });
  const { rows } = await readSince(fixture.database.results, fixture.submitter.keyId, 0);
  const readIds: number[] = [];
  for await (const row of rows) readIds.push(row.runId);
  expect(readIds).toEqual([runId, retried.runId]);
});

it('a retry waits for the run and for the retry before', async () => {
  const runId = await runs.leased();
  expect(await retry(runId)).toEqual({ kind: 'unfinished', runId });
  const other = await runs.finished();
  const first = await retry(other);
  expect(first.kind).toBe('created');
  expect(await retry(other)).toEqual({ ...first, kind: 'waiting' });
});

it('a retry is created once by several at the same time', async () => {
  const runId = await runs.finished();
  const all = await Promise.all(Array.from({ length: 6 }, () => retry(runId)));
  expect(all.map(({ kind }) => kind).sort()).toEqual(['created', ...Array<string>(5).fill('waiting')]);
  expect((await fixture.client.query('select from runs')).rowCount).toBe(2);
});

it('a retry knows no private run of another key', async () => {
  const runId = await runs.finished({ isPrivate: true });
  const other = await runs.otherKey();
  expect(await retry(runId, other)).toEqual({ kind: 'unknown' });
  expect(await retry(2_000_000_000)).toEqual({ kind: 'unknown' });
  const retried = (await retry(runId)) as { runId: number };
  expect(await fixture.database.results.find(retried.runId)).toMatchObject({ isPrivate: true });
});

it('a retry shows another key nothing of a private retry of a run that was published since', async () => {
  const runId = await runs.finished({ isPrivate: true });
  const hidden = (await retry(runId)) as { runId: number };
  await fixture.database.publications.publish([runId], fixture.submitter.keyId);
  const others = (await retry(runId, await runs.otherKey())) as { kind: string; runId: number };
  expect(others).toEqual({ kind: 'created', runId: expect.any(Number) });
  expect(await retry(runId, await runs.otherKey())).toEqual({ kind: 'waiting', runId: others.runId });
  expect(await retry(runId)).toEqual({ kind: 'waiting', runId: hidden.runId });
});

it('a retry of a cancelled run is a run like any other', async () => {
  const retried = (await retry(await runs.cancelled())) as { runId: number };
  expect(await fixture.database.results.find(retried.runId)).toMatchObject({
    state: 'queued',
    cancelled: false,
    message: null,
  });
});
