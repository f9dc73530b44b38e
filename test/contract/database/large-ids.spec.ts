import { RUN_ID_MAX } from '@proctor/contracts';
import { ARCH, fail, finish, grant, request, start } from '../journal.fixture';
import { type Fixture, setUp } from './fixture';
import { ids, Runs } from './runs';
import { readSince } from '@test/support/results-since';

let fixture: Fixture;

beforeAll(async () => {
  fixture = await setUp();
});
afterAll(() => fixture.close());

const runs = new Runs(() => fixture);
const by = () => ({ userId: fixture.submitter.userId, userName: 'ada' });

/** The next run gets this id. */
async function continueWith(runId: number): Promise<void> {
  await fixture.client.query(`select setval(pg_get_serial_sequence('runs', 'run_id'), $1, false)`, [runId]);
}

describe.each([
  ['beyond 32 bits', 2 ** 31],
  ['beyond 32 bits without a sign', 2 ** 32 + 1],
  ['near the largest number that is exact', RUN_ID_MAX - 20],
])('ids %s', (_where, first) => {
  beforeEach(async () => {
    const empty = 'truncate runs, attempts, orders, facts, packages, package_durations';
    await fixture.client.query(empty);
    await continueWith(first);
  });

  it('a run with a large id is accepted, ingested, leased, executed and read', async () => {
    const { submissions, journal, results, facts } = fixture.database;
    const [runId, second] = (await submissions.submit([request(), request()], fixture.submitter)) as [
      number,
      number,
    ];
    expect([runId, second]).toEqual([first, first + 1]);
    expect(ids((await journal.arrivals(ARCH, 10)).runs)).toEqual([first, first + 1]);
    await fixture.commit(ARCH, [grant(runId, 1)]);
    await fixture.commit(ARCH, [start(runId, 1)]);
    await fixture.commit(ARCH, [fail(runId, 1)]);
    await fixture.commit(ARCH, [grant(runId, 2)]);
    expect(await journal.reportState({ runId, attempt: 2, worker: 'w1' })).toBe('counts');
    const loaded = await journal.load(ARCH, 3_600_000);
    expect(ids(loaded.runs)).toEqual([first, first + 1]);
    await fixture.commit(ARCH, [finish(runId, 2)]);
    expect(await results.find(runId)).toMatchObject({ runId, attempt: 2, verdict: 'pass' });
    expect(await facts.ofRun(runId)).toMatchObject(
      ['requested', 'granted', 'started', 'requeued', 'granted', 'finished'].map((kind) => ({ runId, kind })),
    );
    expect(ids(await facts.listUnpublished(ARCH, 3))).toEqual([first, first + 1, first]);
  });

  it('a run with a large id is streamed to the one who asked', async () => {
    const runIds = [await runs.waiting(), await runs.waiting()];
    const { rows } = await readSince(fixture.database.results, fixture.submitter.keyId, 0);
    const readIds: number[] = [];
    for await (const row of rows) readIds.push(row.runId);
    expect(readIds).toEqual(runIds);
  });

  it('a run with a large id is retried', async () => {
    const runId = await runs.finished();
    const { retries, results } = fixture.database;
    expect(await retries.retry(runId, fixture.submitter)).toEqual({ kind: 'created', runId: runId + 1 });
    expect(await results.find(runId + 1)).toMatchObject({ retryOf: runId });
    expect(await retries.retry(runId, fixture.submitter)).toEqual({ kind: 'waiting', runId: runId + 1 });
  });

  it('a run with a large id is published, cancelled and given another priority', async () => {
    const runId = await runs.waiting({ isPrivate: true });
    const { cancellations, decisions, publications, journal } = fixture.database;
    const askedIds = [runId, runId + 1, 2 ** 60];
    expect(await publications.publish(askedIds, fixture.submitter.keyId)).toEqual([runId]);
    expect(await decisions.reprioritise({ runIds: askedIds }, 9, by())).toEqual([runId]);
    expect(await cancellations.cancelMatching({ runIds: askedIds }, by())).toEqual([runId]);
    expect(await journal.orders(ARCH, 10)).toMatchObject([
      { kind: 'publish', runId },
      { kind: 'reprioritise', runId, priority: 9 },
      { kind: 'cancel', runId },
    ]);
  });

  it('a run with a large id stands in the public lists', async () => {
    const runId = await runs.finished();
    expect(ids(await fixture.database.publicRuns.recent(10))).toEqual([runId]);
  });
});

it('no run gets an id that a number cannot hold', async () => {
  await continueWith(RUN_ID_MAX);
  expect(await runs.waiting()).toBe(RUN_ID_MAX);
  await expect(runs.waiting()).rejects.toThrow(/reached maximum value of sequence/);
});

it('a bigint that a number cannot hold breaks its statement', async () => {
  await expect(fixture.client.query(`select 9007199254740993 as large`)).rejects.toThrow(
    /9007199254740993 is beyond/,
  );
  await expect(fixture.client.query(`select array[1, null, 9007199254740993] as large`)).rejects.toThrow(
    /9007199254740993 is beyond/,
  );
  const { rows } = await fixture.client.query(
    `select array[1, null, 9007199254740991] as large, 7::bigint as small`,
  );
  expect(rows).toEqual([{ large: [1, null, RUN_ID_MAX], small: 7 }]);
});
