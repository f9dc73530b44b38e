import { createHash } from 'node:crypto';
import { openDatabase } from '@proctor/database';
import { request } from '../journal.fixture';
import { type Fixture, lockAwaited, setUp } from './fixture';
import { Runs } from './runs';

let fixture: Fixture;
const runs = new Runs(() => fixture);

beforeAll(async () => {
  fixture = await setUp();
});
afterAll(() => fixture.close());
beforeEach(() => fixture.client.query('truncate runs, attempts, orders, idempotency_keys'));

const fingerprint = (body: string) => createHash('sha256').update(body).digest('hex');
const keyOf = (key: string, body = 'the same', keyId = fixture.submitter.keyId) => {
  return { keyId, key, fingerprint: fingerprint(body) };
};
const answerOf = (runIds: number[]) => ({ runs: runIds, 'a "b" ü 🦆\n': null, a: [] });

function submitOnce(key = keyOf('one'), database = fixture.database) {
  return database.submissions.submitOnce(key, [request(), request()], fixture.submitter, answerOf);
}

const countRuns = async () => (await fixture.client.query('select from runs')).rowCount;

it('a submission with a key creates the runs once, and gives the same answer from then on', async () => {
  const first = await submitOnce();
  expect(first).toEqual({
    kind: 'created',
    answer: answerOf([expect.any(Number), expect.any(Number)] as never),
  });
  const again = await submitOnce();
  expect(again).toEqual({ ...first, kind: 'replayed' });
  expect(JSON.stringify((again as { answer: unknown }).answer)).toBe(
    JSON.stringify((first as { answer: unknown }).answer),
  );
  expect(await countRuns()).toBe(2);
});

it('a submission with a key refuses the key for anything else', async () => {
  await submitOnce();
  expect(await submitOnce(keyOf('one', 'something else'))).toEqual({ kind: 'conflict' });
  expect(await countRuns()).toBe(2);
});

it('a submission with a key takes the same word of another client, and another word, for another request', async () => {
  const { keyId } = await runs.otherKey();
  const kinds = [];
  for (const key of [keyOf('one'), keyOf('one', 'the same', keyId), keyOf('two')]) {
    kinds.push((await submitOnce(key)).kind);
  }
  expect(kinds).toEqual(['created', 'created', 'created']);
});

it('a submission with a key lets a duplicate wait for the first one, also from another process', async () => {
  const other = await openDatabase(fixture.url);
  try {
    const all = await Promise.all(
      Array.from({ length: 8 }, (_, place) => submitOnce(keyOf('one'), place % 2 ? other : fixture.database)),
    );
    expect(all.map(({ kind }) => kind).sort()).toEqual(['created', ...Array<string>(7).fill('replayed')]);
    expect(new Set(all.map((once) => JSON.stringify((once as { answer: unknown }).answer))).size).toBe(1);
    expect(await countRuns()).toBe(2);
  } finally {
    await other.close();
  }
});

it('a submission with a key keeps nothing of a request that fails, so that it can be sent again; who waited does it', async () => {
  await fixture.client.query('begin; lock table runs in exclusive mode');
  const broken = fixture.database.submissions.submitOnce(
    keyOf('one'),
    [request({ priority: 11 })],
    fixture.submitter,
    answerOf,
  );
  await lockAwaited(fixture.url, 'insert into runs');
  const waiting = submitOnce();
  await lockAwaited(fixture.url, 'insert into idempotency_keys');
  await fixture.client.query('commit');
  await expect(broken).rejects.toThrow('runs_priority_check');
  expect(await waiting).toMatchObject({ kind: 'created' });
});

it('a submission with a key keeps nothing when the answer cannot be made', async () => {
  const fail = () => {
    throw new Error('no answer');
  };
  const { submissions } = fixture.database;
  await expect(submissions.submitOnce(keyOf('one'), [request()], fixture.submitter, fail)).rejects.toThrow(
    'no answer',
  );
  expect(await countRuns()).toBe(0);
  expect((await submitOnce()).kind).toBe('created');
});

it('a submission with a key remembers a request that created nothing', async () => {
  const submit = () => fixture.database.submissions.submitOnce(keyOf('one'), [], fixture.submitter, answerOf);
  expect([(await submit()).kind, (await submit()).kind]).toEqual(['created', 'replayed']);
});

it('a submission with a key forgets after a day, and sweeps what is older', async () => {
  for (const word of ['old', 'older', 'young']) await submitOnce(keyOf(word));
  const age = (word: string, hours: number) =>
    fixture.client.query(
      'update idempotency_keys set created_at = now() - make_interval(hours => $2) where key = $1',
      [word, hours],
    );
  await age('older', 26);
  await age('old', 25);
  await age('young', 23);
  expect((await submitOnce(keyOf('old', 'another'))).kind).toBe('created');
  expect((await submitOnce(keyOf('young', 'another'))).kind).toBe('conflict');
  const { rows } = await fixture.client.query<{ key: string }>(
    'select key from idempotency_keys order by key',
  );
  expect(rows.map(({ key }) => key)).toEqual(['old', 'young']);
});

describe('a retry', () => {
  const retryOnce = (runId: number) =>
    fixture.database.retries.retryOnce(
      keyOf('retry', String(runId)),
      runId,
      fixture.submitter,
      (created) => ({
        run_id: created,
      }),
    );

  it('a retry is done once', async () => {
    const runId = await runs.finished();
    const first = await retryOnce(runId);
    expect(first).toMatchObject({ kind: 'created', answer: { run_id: expect.any(Number) } });
    expect(await retryOnce(runId)).toEqual({ ...first, kind: 'replayed' });
    expect(await countRuns()).toBe(2);
  });

  it('a retry leaves the key unused when it is refused', async () => {
    const runId = await runs.leased();
    expect(await retryOnce(runId)).toEqual({ kind: 'unfinished', runId });
    expect((await fixture.client.query('select from idempotency_keys')).rowCount).toBe(0);
    await fixture.database.cancellations.cancel(runId, { ...fixture.submitter, userName: 'ada' });
    expect((await retryOnce(runId)).kind).toBe('created');
  });
});
