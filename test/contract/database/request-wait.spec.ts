import { Logger } from '@nestjs/common';
import { systemClock } from '@proctor/clock';
import { asOneRequest, asBackgroundWork, DatabaseUnavailable, openDatabase } from '@proctor/database';
import type { OpenDatabase, Results } from '@proctor/database';
import { ResultLongPoll } from '@apps/api/src/runs/result-long-poll';
import { type CuttableLink, linkTo } from '@test/support/cuttable-link';
import { request } from '../journal.fixture';
import { type Fixture, setUp } from './fixture';
import { peerMsUntil } from '@test/support/peer-clock';
import { readSince } from '@test/support/results-since';

const LIMITS = {
  requestTimeoutMs: 1_200,
  commitSearchTimeoutMs: 500,
  rowsPerTransactionMax: 1,
  // Without the limit of a request, one lost answer would take as long.
  ...{ answerTimeoutMs: 60_000, statementTimeoutMs: 60_000 },
};
/** Such a request ends within its limit on a busy machine too: it is much more than the database needs. */
const PATIENT = { ...LIMITS, requestTimeoutMs: 9_000 };
/** How late an answer may be. */
const LATE_MS = 600;
/** One call takes little of the time, five take too much. */
const SLOW_MS = 300;
const SLOW_FOR_PATIENT_MS = 2_500;
/** Twelve calls take all the time of a patient request. */
const LATE_FOR_PATIENT_MS = 750;
/** They take longer than the time of one request. */
const LOOKS_BEFORE_NEWS = 2 * (LIMITS.requestTimeoutMs / SLOW_MS);
/** Once a submission has waited for an answer, less is left than a search for its commit may take. */
const TOO_SLOW_MS = 800;

let fixture: Fixture;
let link: CuttableLink;
let database: OpenDatabase;
let patient: OpenDatabase;

beforeAll(async () => {
  Logger.overrideLogger(false);
  fixture = await setUp();
  link = await linkTo(fixture.url);
  [database, patient] = [await openDatabase(link.url, LIMITS), await openDatabase(link.url, PATIENT)];
});
afterAll(async () => {
  await Promise.all([database?.close(), patient?.close()]);
  await link.cut();
  await fixture.close();
  Logger.overrideLogger(['error', 'warn', 'log']);
});
beforeEach(async () => {
  await fixture.client.query('truncate runs, attempts, orders');
  // A connection that is known to work: a new one is prepared by several statements.
  await database.users.find('ada');
});
afterEach(() => link.clear());

const submit = () => database.submissions.submit([request()], fixture.submitter);
const countRuns = async () => (await fixture.client.query('select from runs')).rowCount;

async function findRepeatedly(): Promise<void> {
  for (let call = 0; call < 5; call += 1) await database.users.find('ada');
}

/** @returns how it failed, and after how many milliseconds of a sound peer */
async function failure(work: () => Promise<unknown>): Promise<{ error: unknown; ms: number }> {
  const error = work().then(
    () => null,
    (reason: unknown) => reason,
  );
  return { ms: await peerMsUntil(error), error: await error };
}

it('the wait of a request is one for all calls of a request', async () => {
  link.slow(SLOW_MS);
  let calls = 0;
  const findWithoutEnd = async () => {
    for (; ; calls += 1) await database.users.find('ada');
  };
  const { error, ms } = await failure(() => asOneRequest(findWithoutEnd));
  expect(error).toBeInstanceOf(DatabaseUnavailable);
  expect(calls).toBeLessThanOrEqual(LIMITS.requestTimeoutMs / SLOW_MS);
  expect(ms).toBeLessThan(LIMITS.requestTimeoutMs + LATE_MS);
  await findRepeatedly();
  await asOneRequest(() => asBackgroundWork(findRepeatedly));
});

it('the wait of a request counts calls at the same time once', async () => {
  const findAtOnce = () => Promise.all(Array.from({ length: 5 }, () => patient.users.find('ada')));
  const users = await findAtOnce();
  link.slow(SLOW_FOR_PATIENT_MS);
  expect(await asOneRequest(findAtOnce)).toEqual(users);
  expect(users[0]).toMatchObject({ name: 'ada' });
});

it('the wait of a request leaves no commit to chance: one that could not be looked for is not tried', async () => {
  link.slow(TOO_SLOW_MS);
  const { error, ms } = await failure(() => asOneRequest(submit));
  expect(error).toMatchObject({ extent: 'nothing' });
  expect(ms).toBeLessThan(LIMITS.requestTimeoutMs + LATE_MS);
  link.clear();
  expect(await countRuns()).toBe(0);
});

it('the wait of a request is long enough to learn what became of a commit', async () => {
  const limits = { ...LIMITS, requestTimeoutMs: 7_000, commitSearchTimeoutMs: 4_500 };
  const searching = await openDatabase(link.url, limits);
  try {
    await searching.users.find('ada');
    link.loseAnswersTo('commit\0');
    const submitted = asOneRequest(() => searching.submissions.submit([request()], fixture.submitter));
    expect(await peerMsUntil(submitted)).toBeLessThan(limits.requestTimeoutMs + LATE_MS);
    expect(await submitted).toHaveLength(1);
    expect(await countRuns()).toBe(1);
  } finally {
    await searching.close();
  }
});

describe('requests of several steps', () => {
  /** The work, on an answer that is late often enough, as one request. */
  async function takingLong(work: () => Promise<void>): Promise<void> {
    await patient.users.find('ada');
    link.slow(LATE_FOR_PATIENT_MS);
    const begunAt = performance.now();
    await asOneRequest(work);
    expect(performance.now() - begunAt).toBeGreaterThan(PATIENT.requestTimeoutMs);
  }

  const submitMany = (count: number) =>
    patient.submissions.submit(
      Array.from({ length: count }, () => request()),
      fixture.submitter,
    );

  it('the wait of a request begins again with each step of a large change', async () => {
    const runIds = await submitMany(4);
    const by = { userId: fixture.submitter.userId, userName: 'ada' };
    await takingLong(async () => {
      expect(await patient.cancellations.cancelMatching({ runIds }, by)).toEqual(runIds);
    });
  });

  it('the wait of a request begins again with each page of a list', async () => {
    const runIds = await submitMany(12_000);
    await takingLong(async () => {
      const { rows } = await readSince(patient.results, fixture.submitter.keyId, 0);
      let count = 0;
      for await (const row of rows) count += row.runId > 0 ? 1 : 0;
      expect(count).toBe(runIds.length);
    });
  });
});

it('the wait of a request is not spent by looks for news, which follow one another as long as anybody waits', async () => {
  let [looks, hint] = [0, (): void => undefined];
  const withNews: Results['withNews'] = async (waiting) => {
    looks += 1;
    if (looks === LOOKS_BEFORE_NEWS) await submit();
    hint();
    return database.results.withNews(waiting);
  };
  const news = new ResultLongPoll({ withNews } as Results, systemClock, {
    listen: (_subject, received) => (hint = received),
    signal: () => undefined,
  });
  news.onApplicationBootstrap();
  link.slow(SLOW_MS);
  // It ends by the news: no test waits for this time.
  const waitMs = 3_600_000;
  await asOneRequest(() => news.wait(fixture.submitter.keyId, 0, waitMs, new AbortController().signal));
  expect(looks).toBeGreaterThanOrEqual(LOOKS_BEFORE_NEWS);
});
