import type { RunRequest } from '@proctor/contracts';
import type { Write } from '@proctor/dispatch';
import { ARCH, fail, finish, grant, requeue, start } from '../journal.fixture';
import { type Fixture, setUp } from './fixture';
import { ids, Runs } from './runs';

let fixture: Fixture;

beforeAll(async () => {
  fixture = await setUp();
});
afterAll(() => fixture.close());
beforeEach(() => fixture.client.query('truncate runs, attempts, orders'));

const runs = new Runs(() => fixture);
const commit = (...writes: Write[]) => fixture.commit(ARCH, writes);

/** An attempt of a new run by a worker, with a verdict. */
async function endedRun(
  worker: string,
  verdict: 'pass' | 'fail',
  change: Partial<RunRequest> = {},
): Promise<number> {
  const runId = await runs.waiting(change);
  await commit(grant(runId, 1, 0, worker));
  await commit({ ...finish(runId, 1, { verdict }), worker } as Write);
  return runId;
}

it('the attempts of each worker are its newest ended ones, those without a result too, those handed back not', async () => {
  const passed = await endedRun('w1', 'pass');
  const expired = await runs.waiting();
  await commit(grant(expired, 1, 0, 'w1'));
  await commit(requeue(expired, 1, 'returned'));
  await commit(grant(expired, 2, 0, 'w1'));
  await commit(requeue(expired, 2, 'expired'));
  await endedRun('w2', 'fail');
  await endedRun('w2', 'pass');
  await endedRun('w3', 'pass');
  await runs.leased();
  const hidden = await endedRun('w1', 'pass', { isPrivate: true });
  const { workerPages } = fixture.database;
  const attempts = await workerPages.attempts(['w1', 'w2', 'w4'], 2);
  expect(
    attempts.map(({ worker, runId, attempt, outcome, verdict }) => [
      worker,
      runId,
      attempt,
      outcome,
      verdict,
    ]),
  ).toEqual([
    ['w1', expired, 2, 'expired', null],
    ['w1', passed, 1, 'finished', 'pass'],
    ['w2', expect.any(Number), 1, 'finished', 'pass'],
    ['w2', expect.any(Number), 1, 'finished', 'fail'],
  ]);
  expect(ids(await workerPages.attempts(['w1'], 1, true))).toEqual([hidden]);
});

it('the public sees what a worker executes without private runs, and without those of others', async () => {
  const [open, hidden, foreign, finishedRun] = [
    await runs.waiting(),
    await runs.waiting({ isPrivate: true }),
    await runs.waiting(),
    await runs.waiting(),
  ];
  for (const runId of [open, hidden, finishedRun]) await commit(grant(runId, 1, 0, 'w1'));
  await commit(start(open, 1), finish(finishedRun, 1), grant(foreign, 1, 0, 'w2'));
  const { workerPages } = fixture.database;
  expect(ids(await workerPages.running('w1', 10))).toEqual([open]);
  expect(ids(await workerPages.running('w1', 10, true)).sort()).toEqual([open, hidden].sort());
});

it('a worker is compared with what others made of the same packages on the same suites and architectures', async () => {
  const { workerPages } = fixture.database;
  const nothing = { attempts: 0, failed: 0, withoutResult: 0, expectedFailed: 0, expectedWithoutResult: 0 };
  expect(await workerPages.comparison('w1')).toEqual(nothing);
  // Half of what others did fails, and one attempt of five had no result.
  for (const verdict of ['pass', 'pass', 'fail', 'fail'] as const) await endedRun('w2', verdict);
  const retried = await runs.waiting();
  await commit(grant(retried, 1, 0, 'w3'));
  await commit(fail(retried, 1));
  await commit(grant(retried, 2, 0, 'w3'));
  await commit({ ...finish(retried, 2, { verdict: 'fail' }), worker: 'w3' } as Write);
  for (let count = 0; count < 3; count += 1) await endedRun('w1', 'fail');
  // No other worker has executed these.
  await endedRun('w1', 'fail', { package: 'alone' });
  await endedRun('w1', 'fail', { isPrivate: true });
  await endedRun('w2', 'pass', { isPrivate: true });
  expect(await workerPages.comparison('w1')).toEqual({
    attempts: 3,
    failed: 3,
    withoutResult: 0,
    expectedFailed: 1.5,
    expectedWithoutResult: 0.5,
  });
});

it('a worker has by hour what its attempts with public runs came to, and how long slots were busy', async () => {
  const passed = await endedRun('w1', 'pass');
  const failedRun = await endedRun('w1', 'fail');
  await endedRun('w1', 'fail', { isPrivate: true });
  await endedRun('w2', 'fail');
  const expired = await runs.waiting();
  await commit(grant(expired, 1, 0, 'w1'), requeue(expired, 1, 'expired'));
  const day = '2026-11-20';
  const move = (runId: number, started: string, finishedAt: string) =>
    fixture.client.query('update attempts set started_at = $2, ended_at = $3 where run_id = $1', [
      runId,
      ...[`${day}T${started}Z`, `${day}T${finishedAt}Z`],
    ]);
  await move(passed, '09:50', '11:10');
  await move(failedRun, '11:30', '11:40');
  await fixture.client.query('update attempts set ended_at = $2 where run_id = $1', [
    expired,
    `${day}T12:30Z`,
  ]);
  const hours = await fixture.database.workerPages.hours('w1', new Date(`${day}T10:00Z`));
  const nothing = { pass: 0, neutral: 0, fail: 0, tmpfail: 0, busySeconds: 0 };
  expect(hours).toEqual([
    { ...nothing, hour: new Date(`${day}T10:00Z`), busySeconds: 3_600 },
    { ...nothing, hour: new Date(`${day}T11:00Z`), pass: 1, fail: 1, busySeconds: 1_200 },
    { ...nothing, hour: new Date(`${day}T12:00Z`), tmpfail: 1 },
  ]);
});

it('a test that a worker executes now keeps a slot busy', async () => {
  const runId = await runs.waiting();
  await commit(grant(runId, 1, 0, 'w1'), start(runId, 1));
  await fixture.client.query(`update runs set started_at = now() - interval '3 hours'`);
  const hours = await fixture.database.workerPages.hours('w1', new Date(Date.now() - 2 * 3_600_000));
  expect(hours.length).toBeGreaterThanOrEqual(3);
  expect(hours[1]).toMatchObject({ busySeconds: 3_600, pass: 0, tmpfail: 0 });
});
