import { ARCH } from '../journal.fixture';
import { type Fixture, lockAwaited, setUp } from './fixture';
import { Runs } from './runs';

let fixture: Fixture;
const runs = new Runs(() => fixture);

beforeAll(async () => {
  fixture = await setUp();
});
afterAll(() => fixture.close());
beforeEach(() => fixture.client.query('truncate runs, attempts, orders'));

const cancel = (runId: number, reason?: string) =>
  fixture.database.cancellations.cancel(runId, { userId: fixture.submitter.userId, userName: 'ada' }, reason);
const find = async (runId: number) => (await fixture.database.results.find(runId))!;

it('a cancellation ends a waiting run in the books', async () => {
  const runId = await runs.waiting();
  expect(await cancel(runId)).toBe('cancelled');
  const record = await find(runId);
  expect(record).toMatchObject({
    state: 'finished',
    verdict: 'tmpfail',
    cancelled: true,
    message: 'cancelled by ada',
    version: 'n/a',
    exitCode: null,
    worker: null,
    startedAt: null,
    durationSeconds: null,
  });
  expect(record.updatedAt).toEqual(record.finishedAt);
  expect(record.updatedAt.getTime()).toBeGreaterThan(record.createdAt.getTime());
  expect((await fixture.database.journal.arrivals(ARCH, 10)).runs).toEqual([]);
});

it('a cancellation ends a running one and its attempt, and says why', async () => {
  const runId = await runs.running();
  await fixture.client.query(
    `update runs set started_at = started_at - interval '90.9 s' where run_id = $1`,
    [runId],
  );
  expect(await cancel(runId, 'the upload was withdrawn')).toBe('cancelled');
  expect(await find(runId)).toMatchObject({
    message: 'cancelled by ada: the upload was withdrawn',
    worker: 'w1',
    attempt: 1,
  });
  expect((await find(runId)).durationSeconds).toBeGreaterThanOrEqual(90);
  const { rows } = await fixture.client.query('select outcome, ended_at, reason from attempts');
  expect(rows).toEqual([
    {
      outcome: 'cancelled',
      ended_at: expect.any(Date),
      reason: 'cancelled by ada: the upload was withdrawn',
    },
  ]);
});

it('a cancellation changes nothing of a run that has finished, cancelled or not, or is not there', async () => {
  const finishedRun = await runs.finished();
  const before = await find(finishedRun);
  expect(await cancel(finishedRun)).toBe('finished');
  expect(await find(finishedRun)).toEqual(before);
  const cancelled = await runs.cancelled();
  expect(await cancel(cancelled)).toBe('finished');
  expect(await cancel(2_000_000_000)).toBe('unknown');
  expect((await fixture.client.query('select from orders')).rowCount).toBe(1);
});

it('a cancellation is done once by several at the same time', async () => {
  const runId = await runs.leased();
  const all = await Promise.all(Array.from({ length: 6 }, () => cancel(runId)));
  expect(all.sort()).toEqual(['cancelled', ...Array<string>(5).fill('finished')]);
  expect((await fixture.client.query('select from orders')).rowCount).toBe(1);
});

it('a cancellation comes too late when the dispatcher finishes the run first', async () => {
  const runId = await runs.leased();
  await fixture.client.query('begin');
  await fixture.client.query(
    `update runs set state = 'finished', verdict = 'pass', message = 'm', version = 'v', finished_at = now()
     where run_id = $1`,
    [runId],
  );
  const late = cancel(runId);
  await lockAwaited(fixture.url, 'for no key update');
  await fixture.client.query('commit');
  expect(await late).toBe('finished');
  expect(await find(runId)).toMatchObject({ verdict: 'pass', cancelled: false });
});
