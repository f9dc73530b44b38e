import { type Fixture, setUp } from './fixture';
import { Runs } from './runs';
import { generateFinishedRuns } from '@test/generator/finished-runs';
import { readSince } from '@test/support/results-since';

let fixture: Fixture;
const runs = new Runs(() => fixture);
beforeAll(async () => {
  fixture = await setUp();
});
afterAll(() => fixture.close());
beforeEach(() => fixture.client.query('truncate runs, attempts, orders'));

const PAST = 1_000_000_000;
const FUTURE = 4_000_000_000;

describe('news for clients that wait', () => {
  const withNews = (...waiting: [keyId: number, sinceSeconds: number][]) =>
    fixture.database.results.withNews(waiting.map(([keyId, sinceSeconds]) => ({ keyId, sinceSeconds })));

  it('each of the clients that wait gets its news, in order', async () => {
    const { keyId } = fixture.submitter;
    const { keyId: other } = await runs.otherKey();
    await runs.waiting();
    expect(await withNews([keyId, PAST], [other, PAST], [keyId, FUTURE], [keyId, PAST + 0.5])).toEqual([
      true,
      false,
      false,
      true,
    ]);
    expect(await withNews()).toEqual([]);
    expect(await withNews([keyId, 1e300])).toEqual([false]);
  });

  it('news for clients that wait is there exactly when the list has a row', async () => {
    const { keyId } = fixture.submitter;
    const runId = await runs.waiting();
    const { updatedAt } = (await fixture.database.results.find(runId))!;
    for (const since of [updatedAt.getTime() / 1000, (updatedAt.getTime() + 1) / 1000]) {
      const rows = [];
      for await (const row of (await readSince(fixture.database.results, keyId, since)).rows) rows.push(row);
      expect(await withNews([keyId, since])).toEqual([rows.length > 0]);
    }
  });
});

async function planOf(statement: string): Promise<string> {
  const { rows } = await fixture.client.query<{ 'QUERY PLAN': string }>(`explain ${statement}`);
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}

it('the rates of queues count what finished within the last hour, private runs for administrators alone, cancelled ones not', async () => {
  await runs.finished();
  await runs.finished({ isPrivate: true });
  await runs.finished({ suite: 'sid' });
  await runs.cancelled();
  await runs.waiting();
  const early = await runs.finished();
  await runs.endedAt(early, '2020-01-01T00:00:00Z');
  for (const [everything, perHour] of [
    [false, 1],
    [true, 2],
  ] as const) {
    expect(await fixture.database.publicRuns.rates(everything)).toEqual([
      { suite: 'bookworm', arch: 'amd64', perHour, waitSeconds: expect.any(Number) },
      { suite: 'sid', arch: 'amd64', perHour: 1, waitSeconds: expect.any(Number) },
    ]);
  }
});

it('the rates of queues need no look at runs of other times', async () => {
  await generateFinishedRuns(fixture.client, {
    ...{ runs: 20_000, seed: 1, suites: ['sid'], architectures: ['amd64'], packages: 100 },
    ...{ until: new Date(), days: 10, isBare: true },
  });
  await fixture.client.query('analyze runs');
  const { RATES, ALL_RATES } = await import('@libs/database/src/reading/public-statements');
  expect((await planOf(RATES.text)).match(/Index Cond: \(finished_at > /g)).toHaveLength(1);
  const plan = await planOf(ALL_RATES.text);
  expect(plan.match(/Index Cond: \(finished_at > /g)).toHaveLength(2);
  expect(plan).toContain('runs_finished_private');
});

it('the lengths of queues are read from an index alone', async () => {
  // What many rows would rule out by themselves.
  await fixture.client.query('set enable_seqscan = off; set enable_sort = off');
  const { QUEUES, ALL_QUEUES } = await import('@libs/database/src/reading/public-statements');
  expect(await planOf(QUEUES.text)).toContain('Index Only Scan using runs_public_queues');
  const plan = await planOf(ALL_QUEUES.text);
  for (const index of ['runs_public_queues', 'runs_private_queues'])
    expect(plan).toContain(`Index Only Scan using ${index}`);
});

it('packages with a backend of their own are known by name', async () => {
  await runs.waiting({ package: 'linux' });
  await runs.waiting({ package: 'hello' });
  await fixture.client.query(`update packages set backend = 'qemu' where name = 'linux'`);
  const { packages } = fixture.database;
  expect([...(await packages.backends())]).toEqual([['linux', 'qemu']]);
});
