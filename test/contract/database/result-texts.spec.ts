import fc from 'fast-check';
import type { RunRecord } from '@proctor/database';
import { resultObject } from '@apps/api/src/runs/result-object';
import { FIRST_PAGE, NEXT_PAGE } from '@libs/database/src/reading/result-texts';
import { request } from '../journal.fixture';
import { type Fixture, setUp } from './fixture';

let fixture: Fixture;

beforeAll(async () => {
  fixture = await setUp();
});
afterAll(() => fixture.close());
beforeEach(() => fixture.client.query('truncate runs, attempts, orders'));

/** What PostgreSQL can keep. */
const text = fc
  .oneof(fc.string({ unit: 'binary' }), fc.constantFrom('', '\x7f\x1f\b\f\n\r\t"\\/', '\u2028', '{"a" : 1}'))
  .map((each) => each.replaceAll('\0', '').toWellFormed());

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });

const size = maybe(fc.integer({ min: 0, max: 5_000_000_000 }));

/** Any time of four-digit years. */
const date = fc.date({
  min: new Date('1970-01-01T00:00:00.000Z'),
  max: new Date('9999-12-31T23:59:59.999Z'),
  noInvalidDate: true,
});

const run = fc.record({
  asked: fc.record({
    package: fc.constantFrom('hello', 'lib', 'libx', 'libfoo2', '0ad'),
    trigger: maybe(text),
    pinPackages: fc.array(fc.tuple(text, text), { maxLength: 3 }),
    extraAptSources: fc.array(text, { maxLength: 3 }),
    isPrivate: fc.boolean(),
    priority: fc.integer({ min: 1, max: 10 }),
    variant: text,
  }),
  ended: maybe(
    fc.record({
      verdict: fc.constantFrom('pass', 'neutral', 'fail', 'tmpfail'),
      version: text,
      message: text,
      exitCode: maybe(fc.integer({ min: 0, max: 255 })),
      duration: maybe(fc.integer({ min: 0, max: 1_000_000 })),
      finishedAt: date,
      logSize: size,
      artifactsSize: size,
      worker: maybe(text),
    }),
  ),
  updatedAt: date,
});

const END = `
  update runs set state = 'finished', taken_in = true, verdict = $2, version = $3, message = $4, exit_code = $5,
    duration_seconds = $6, finished_at = $7, log_size = $8, artifacts_size = $9, worker = $10
  where run_id = $1`;

it('the text of a result is what the api makes of each run, byte for byte', async () => {
  const { database, client, submitter } = fixture;
  const property = fc.asyncProperty(
    fc.array(run, { minLength: 1, maxLength: 20 }),
    fc.constantFrom('pass' as const, 'neutral' as const),
    async (runs, neutral) => {
      await client.query('truncate runs, attempts, orders');
      const runIds = await database.submissions.submit(
        runs.map(({ asked }) => request(asked)),
        submitter,
      );
      for (const [place, { ended, updatedAt }] of runs.entries()) {
        const runId = runIds[place]!;
        if (ended) {
          const { verdict, version, message, exitCode, duration, finishedAt, logSize, artifactsSize } = ended;
          const values = [verdict, version, message, exitCode, duration, finishedAt, logSize, artifactsSize];
          await client.query(END, [runId, ...values, ended.worker]);
        }
        await client.query('update runs set updated_at = $2 where run_id = $1', [runId, updatedAt]);
      }
      const records = (await Promise.all(runIds.map((runId) => database.results.find(runId)))) as RunRecord[];
      const expected = records
        .sort((a, b) => a.updatedAt.getTime() - b.updatedAt.getTime() || a.runId - b.runId)
        .map((record) => JSON.stringify(resultObject(record, neutral)));
      const { pages } = await database.results.since(submitter.keyId, 0, neutral);
      const pagesOfResults: string[] = [];
      for await (const page of pages!) pagesOfResults.push(page);
      expect(pagesOfResults.join(',')).toBe(expected.join(','));
    },
  );
  await fc.assert(property, { numRuns: 40 });
});

it.each([FIRST_PAGE, NEXT_PAGE])(
  'a list of results comes out of one index in its order, whatever the parameters are',
  async (page) => {
    const { database, client, submitter } = fixture;
    await database.submissions.submit(
      Array.from({ length: 5_000 }, () => request()),
      submitter,
    );
    await client.query('analyze runs');
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain (generic_plan) ${page.text}`);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toMatch(/Limit[^]*Index Scan using runs_results/);
    expect(plan.slice(plan.indexOf('Limit'))).not.toContain('Sort');
  },
);
