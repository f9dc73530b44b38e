import type { ArchitectureHour } from '@proctor/database';
import type { RunRequest, Verdict } from '@proctor/contracts';
import { awayFromNextHour } from '@test/support/midnight';
import { workerKey } from '@test/support/worker-register';
import { ARCH } from '../journal.fixture';
import { type Fixture, setUp } from './fixture';
import { Runs } from './runs';

const EVERYTHING = { suite: null, arch: null };
const LONG_AGO = new Date(0);
const HOUR_MS = 3_600_000;

let fixture: Fixture;
const runs = new Runs(() => fixture);

beforeAll(async () => {
  fixture = await setUp();
});
afterAll(() => fixture.close());
beforeEach(awayFromNextHour);
beforeEach(() =>
  fixture.client.query('truncate runs, attempts, orders, facts, queue_hours, slot_hours, machine_hours'),
);

const hours = () => fixture.database.hourFigures;
const save = (slots = 4, keptDays: number | null = null) => hours().save(ARCH, slots, keptDays);

/** The figures, with the hour as a number: 0 is the present one, -1 the one before. */
async function figures(filter: object = {}): Promise<Omit<ArchitectureHour, 'arch'>[]> {
  const rows = await hours().listHours(LONG_AGO, { ...EVERYTHING, ...filter });
  return rows.map(({ arch: _, hour, ...rest }) => ({
    ...rest,
    hour: (hour.getTime() - Math.floor(Date.now() / HOUR_MS) * HOUR_MS) / HOUR_MS,
  })) as never;
}

/** Moves a finished run to the past. Times are minutes since the beginning of the present hour. */
async function move(
  runId: number,
  [created, started, finishedAt]: [number, number, number],
): Promise<number> {
  await fixture.client.query(
    `update runs set created_at = h + $2 * m, started_at = h + $3 * m, finished_at = h + $4 * m, updated_at = h + $4 * m
     from (select date_trunc('hour', now(), 'UTC') as h, interval '1 minute' as m) t where run_id = $1`,
    [runId, created, started, finishedAt],
  );
  return runId;
}

const endedRun = async (
  times: [number, number, number],
  verdict: Verdict = 'pass',
  change: Partial<RunRequest> = {},
) => move(await runs.finished(change, verdict), times);

const NOTHING = { arrived: 0, pass: 0, neutral: 0, fail: 0, tmpfail: 0, busySeconds: 0 };
const UNSEEN = { waiting: null, oldestSeconds: null, slots: null };

it('the figures of an hour are those of its public runs, also before any were saved', async () => {
  await endedRun([-100, -90, -30]);
  await endedRun([-50, -45, -40], 'fail', { suite: 'sid' });
  await endedRun([-50, -40, -39], 'neutral', { suite: 'sid' });
  await endedRun([-50, -40, -39], 'tmpfail', { suite: 'sid' });
  await endedRun([-50, -40, -39], 'absent');
  await endedRun([-50, -40, -39], 'fail', { isPrivate: true });
  await endedRun([-50, -40, -39], 'fail', { arch: 'other' });
  await move(await runs.cancelled(), [-50, -40, -39]);
  await endedRun([-80 * 60, -80 * 60, -80 * 60 + 5]);
  await save();
  const before = { ...NOTHING, ...UNSEEN, hour: -2, arrived: 1, busySeconds: 1_800 };
  expect(await figures()).toEqual([
    before,
    {
      ...{ ...UNSEEN, hour: -1, arrived: 3, pass: 1, neutral: 1, fail: 1, tmpfail: 1 },
      busySeconds: 1_800 + 300 + 60 + 60,
    },
    { ...NOTHING, hour: 0, waiting: 0, oldestSeconds: 0, slots: 4 },
  ]);
  expect((await figures({ suite: 'sid' })).map(({ arrived, slots }) => [arrived, slots])).toEqual([
    [3, null],
    [0, 4],
  ]);
  expect(await figures({ arch: 'other' })).toEqual([]);
  expect(await hours().listHours(new Date(), EVERYTHING)).toEqual([]);
});

it('the present hour says how many public runs wait, how long, and how many slots there were at most', async () => {
  const first = await runs.waiting({ suite: 'sid' });
  await fixture.client.query(`update runs set created_at = now() - interval '100 hours'`);
  await runs.waiting();
  await runs.waiting({ isPrivate: true });
  await save(4);
  await save(2);
  const [present, ...others] = await figures();
  expect(others).toEqual([]);
  expect(present).toMatchObject({ ...NOTHING, hour: 0, arrived: 1, waiting: 2, slots: 4 });
  expect(Math.floor(present!.oldestSeconds! / 600)).toBe(600);
  await fixture.client.query('delete from facts');
  await fixture.client.query('delete from runs where run_id = $1', [first]);
  await save(5);
  expect(await figures()).toMatchObject([{ waiting: 1, oldestSeconds: expect.any(Number), slots: 5 }]);
  expect((await figures())[0]!.oldestSeconds).toBeLessThan(300);
  expect(await figures({ suite: 'sid' })).toMatchObject([{ waiting: 0, oldestSeconds: 0, slots: 5 }]);
});

it('a running test keeps a slot busy from its start on, and is counted once it has ended', async () => {
  const runId = await runs.running();
  await fixture.client.query(
    `update runs set created_at = created_at - interval '2 hours', started_at = date_trunc('hour', now(), 'UTC') - interval '50 minutes'`,
  );
  await save();
  const [first, second, third] = await figures();
  expect(first).toMatchObject({ hour: -2, arrived: 1 });
  expect(second).toMatchObject({ hour: -1, arrived: 0, busySeconds: 3_000, pass: 0 });
  expect(third).toMatchObject({ hour: 0, waiting: 0 });
  await fixture.client.query(
    `update runs set state = 'finished', verdict = 'pass', message = '', version = '1', updated_at = now(),
       finished_at = date_trunc('hour', now(), 'UTC') - interval '20 minutes' where run_id = $1`,
    [runId],
  );
  await save();
  expect(await figures()).toMatchObject([
    { hour: -2, arrived: 1 },
    { hour: -1, busySeconds: 1_800, pass: 1 },
    { hour: 0, busySeconds: 0, pass: 0 },
  ]);
});

it('earlier hours stay as they were last seen, though runs are corrected or removed later', async () => {
  const runId = await endedRun([-100, -90, -70]);
  await runs.waiting();
  await save();
  for (const table of ['queue_hours', 'slot_hours'])
    await fixture.client.query(`update ${table} set hour = hour - interval '1 hour'`);
  await fixture.client.query(`update runs set created_at = created_at - interval '1 hour'`);
  await move(runId, [-160, -150, -130]);
  const before = await figures();
  expect(before).toMatchObject([
    { hour: -3, pass: 1, arrived: 1 },
    { hour: -1, waiting: 1, slots: 4 },
  ]);
  await fixture.client.query('truncate runs, facts, attempts, orders');
  await save();
  expect(await figures()).toMatchObject([
    { hour: -3, pass: 1, arrived: 1, busySeconds: 1_200 },
    { hour: -1, waiting: 1, slots: 4, arrived: 0 },
    { hour: 0, waiting: 0 },
  ]);
});

it('figures are removed by age, and none where nothing is removed', async () => {
  for (const days of [29, 31])
    await fixture.client.query(
      `insert into slot_hours (hour, arch, slots)
       select date_trunc('hour', now() - $1 * interval '1 day', 'UTC'), 'former', 1`,
      [days],
    );
  await save();
  expect(await figures()).toHaveLength(3);
  await save(4, 30);
  expect((await figures()).map(({ hour }) => hour)).toEqual([-29 * 24, 0]);
});

it('the machine of a worker keeps its highest load and least room of an hour, until it is removed by age', async () => {
  const stateOf = (worker: string, loadPercent: number, freeDiskMib: number) =>
    Object.assign({ worker }, { loadPercent, freeDiskMib });
  await hours().saveMachines([]);
  await hours().saveMachines([stateOf('w1', 40, 700), stateOf('w2', 1_000_000, 2_000_000_000)]);
  await hours().saveMachines([stateOf('w2', 5, 9), stateOf('w1', 90, 800)]);
  const machine = (worker: string, since = LONG_AGO) => hours().listMachineHours(worker, since, true);
  expect(await machine('w1')).toEqual([{ hour: expect.any(Date), loadPercent: 90, freeDiskMib: 700 }]);
  expect(await machine('w2')).toMatchObject([{ loadPercent: 1_000_000, freeDiskMib: 9 }]);
  await fixture.client.query(`update machine_hours set hour = hour - interval '2 days' where worker = 'w1'`);
  expect(await machine('w1', new Date(Date.now() - HOUR_MS))).toEqual([]);
  await save(4, 1);
  expect([await machine('w1'), await machine('w2')]).toMatchObject([[], [{}]]);
});

it('an hour in which a worker could run private tests stays with administrators, also when it may not any longer', async () => {
  const saveMachine = () => hours().saveMachines([{ worker: 'w1', loadPercent: 40, freeDiskMib: 700 }]);
  const seenBy = async (isAdmin: boolean) => (await hours().listMachineHours('w1', LONG_AGO, isAdmin)).length;
  const mayRunPrivate = (may: boolean) =>
    fixture.client.query(`update workers set may_run_private = $1 where name = 'w1'`, [may]);
  await saveMachine();
  expect([await seenBy(false), await seenBy(true)]).toEqual([0, 1]);
  await fixture.client.query('delete from machine_hours');
  const registration = { name: 'w1', publicKey: workerKey(), architectures: [ARCH], mayRunPrivate: false };
  const { userId } = fixture.submitter;
  await fixture.database.workerRegister.add(registration, { userId, userName: 'ada' });
  await saveMachine();
  expect(await seenBy(false)).toBe(1);
  await mayRunPrivate(true);
  await saveMachine();
  await mayRunPrivate(false);
  await saveMachine();
  expect([await seenBy(false), await seenBy(true)]).toEqual([0, 1]);
});
