import { type OpenDatabase, openDatabase } from '@proctor/database';
import { recordUpdateTime, CLOCK } from '@libs/database/src/kit/horizon';
import type { Statement } from '@libs/database/src/kit/statement';
import { request } from '../journal.fixture';
import { type Fixture, setUp } from './fixture';
import { createReader, dropReader } from './polling/reader-role';
import { SteppingClock } from './polling/stepping-clock';
import { peerMsUntil } from '@test/support/peer-clock';
import { readSince } from '@test/support/results-since';

const HOUR_SECONDS = 3_600;
/** It takes two or four seconds. */
const COMES_TO_REST_MS = 8_000;

let fixture: Fixture;
let clock: SteppingClock;
let readerUrl: string;
let reader: OpenDatabase;

beforeAll(async () => {
  fixture = await setUp();
  clock = await SteppingClock.of(fixture.client);
  readerUrl = await createReader(fixture);
  reader = await openDatabase(readerUrl);
});
afterAll(async () => {
  await reader.close();
  await dropReader(fixture, readerUrl);
  await fixture.close();
});
beforeEach(async () => {
  await fixture.client.query('truncate runs, attempts, orders');
  await clock.stepTo(0);
});

const submit = async () => (await fixture.database.submissions.submit([request()], fixture.submitter))[0]!;

async function poll(since: number): Promise<{ until: number; runIds: number[] }> {
  const { until, rows } = await readSince(reader.results, fixture.submitter.keyId, since);
  const runIds: number[] = [];
  for await (const row of rows) runIds.push(row.runId);
  return { until, runIds };
}

/** Feeds `until` back until nothing comes. */
async function rested(since: number): Promise<number> {
  for (let at = since; ;) {
    const { until, runIds } = await poll(at);
    if (runIds.length === 0) return until;
    at = until;
  }
}

it('the clock of runs loses no run for who polls when the clock steps back, and lets them come to rest again', async () => {
  await submit();
  const until = await rested(0);
  await clock.stepTo(-HOUR_SECONDS);
  const second = await submit();
  expect((await poll(until)).runIds).toEqual([second]);
  const next = rested(until);
  // A second every two, or the mark would run away from the clock.
  expect(await peerMsUntil(next, () => fixture.client.query('select'))).toBeLessThan(COMES_TO_REST_MS);
  const third = await submit();
  await fixture.database.cancellations.cancel(second, { userId: fixture.submitter.userId, userName: 'ada' });
  expect((await poll(await next)).runIds.sort()).toEqual([second, third].sort());
});

it('a client that only sends back its own since misses no run, however the clock of runs steps', async () => {
  const { rows } = await fixture.client.query<{ now: number }>(
    'select floor(extract(epoch from clock_timestamp()))::float8 as now',
  );
  const { until } = await poll(rows[0]!.now);
  await clock.stepTo(-HOUR_SECONDS);
  const runId = await submit();
  expect((await poll(until)).runIds).toEqual([runId]);
});

it('the clock of runs leaves every other time as the clock says it', async () => {
  await submit();
  await rested(0);
  await clock.stepTo(-HOUR_SECONDS);
  const run = await fixture.database.results.find(await submit());
  expect(run!.updatedAt.getTime() - run!.createdAt.getTime()).toBeGreaterThan((HOUR_SECONDS - 60) * 1_000);
});

it('the clock of runs draws no time below the second that the writer has announced', async () => {
  const statements = {
    query: async <Row>({ text }: Statement<Row>, parameters: unknown[] = []) =>
      (await fixture.client.query(text, parameters)).rows as Row[],
  };
  await clock.stepTo(HOUR_SECONDS);
  await fixture.client.query('begin');
  await recordUpdateTime(statements);
  const horizonRows = await fixture.client.query<{ second: number }>(
    `select objid::bigint as second from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()`,
  );
  await clock.stepTo(-HOUR_SECONDS);
  const clockRows = await fixture.client.query<{ updated: Date }>(`with ${CLOCK} select updated from clock`);
  await fixture.client.query('rollback');
  expect(clockRows.rows[0]!.updated.getTime()).toBe(horizonRows.rows[0]!.second * 1_000);
});

it('the clock of runs is raised by who may only read, never beyond the clock', async () => {
  const { rows } = await fixture.client.query<{ ahead: number }>(
    'select (second - floor(extract(epoch from run_clock())))::float8 as ahead from horizons',
  );
  await submit();
  await rested(0);
  const after = await fixture.client.query<{ ahead: number }>(
    'select (second - floor(extract(epoch from run_clock())))::float8 as ahead from horizons',
  );
  expect(rows).toHaveLength(1);
  expect(after.rows[0]!.ahead).toBeLessThanOrEqual(Math.max(0, rows[0]!.ahead));
});
