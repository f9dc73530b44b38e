import { connectTo } from '@test/support/database';
import { ARCH, grant, request } from '../journal.fixture';
import { type Fixture, lockAwaited, setUp } from './fixture';
import { Runs } from './runs';

let fixture: Fixture;
const runs = new Runs(() => fixture);

beforeAll(async () => {
  fixture = await setUp();
  for (const arch of [ARCH, 'arm64'])
    await fixture.database.ownershipRegister.claim(arch, 'scheduler-1', 60_000);
});
afterAll(() => fixture.close());
beforeEach(() =>
  fixture.client.query('truncate runs, attempts, orders, facts, pauses, drains, worker_judgements'),
);

const ada = () => ({ userId: fixture.submitter.userId, userName: 'ada' });
const decisions = () => fixture.database.decisions;
const record = async () =>
  (
    await fixture.client.query(
      `select o.arch, o.kind, o.suite, o.worker, o.run_id, o.priority, o.reason, u.name as actor
       from orders o join users u on u.user_id = o.actor_id order by order_id`,
    )
  ).rows as unknown[];
const nothing = { suite: null, worker: null, run_id: null, priority: null, actor: 'ada' };

it('the store of decisions keeps for good who paused and resumed what and why, for each architecture that it concerns', async () => {
  expect(await decisions().pause({ suite: 'sid', arch: ARCH }, ada(), 'a broken image')).toEqual([ARCH]);
  expect(await decisions().pause({ suite: null, arch: null }, ada(), 'maintenance')).toEqual([ARCH, 'arm64']);
  expect(await decisions().resume({ suite: null, arch: null }, ada(), 'done')).toBe(true);
  expect(await decisions().resume({ suite: null, arch: null }, ada(), 'done')).toBe(false);
  expect(await record()).toEqual([
    { ...nothing, arch: ARCH, kind: 'pause', suite: 'sid', reason: 'a broken image' },
    { ...nothing, arch: ARCH, kind: 'pause', reason: 'maintenance' },
    { ...nothing, arch: 'arm64', kind: 'pause', reason: 'maintenance' },
    { ...nothing, arch: ARCH, kind: 'resume', reason: 'done' },
    { ...nothing, arch: 'arm64', kind: 'resume', reason: 'done' },
  ]);
  expect(await decisions().pauses()).toEqual([
    { arch: ARCH, suite: 'sid', by: 'ada', reason: 'a broken image', since: expect.any(String) },
  ]);
});

it('a pause is kept for an architecture that has no dispatcher yet, which finds it when it begins', async () => {
  expect(await decisions().pause({ suite: null, arch: 'riscv64' }, ada(), 'no machine')).toEqual(['riscv64']);
  expect((await fixture.database.journal.restrictions('riscv64')).pauses).toMatchObject([
    { reason: 'no machine' },
  ]);
});

it('the store of decisions keeps who drained which worker and brought it back', async () => {
  expect(await decisions().drain('w1', ada(), 'new disks')).toEqual([ARCH, 'arm64']);
  expect(await decisions().drains()).toEqual([
    { worker: 'w1', by: 'ada', reason: 'new disks', since: expect.any(String), deadline: null },
  ]);
  expect(await decisions().undrain('w1', ada(), 'done')).toBe(true);
  expect(await decisions().undrain('w1', ada(), 'done')).toBe(false);
  expect(await decisions().drains()).toEqual([]);
  expect(await record()).toMatchObject([
    { ...nothing, arch: ARCH, kind: 'drain', worker: 'w1', reason: 'new disks' },
    { arch: 'arm64', kind: 'drain' },
    { ...nothing, arch: ARCH, kind: 'undrain', worker: 'w1', reason: 'done' },
    { arch: 'arm64', kind: 'undrain' },
  ]);
});

it('each dispatcher gets what is left of a drain’s deadline, by the clock that set it; another drain takes the deadline away', async () => {
  await decisions().drain('w1', ada(), 'new disks', 3_600);
  expect(await decisions().drains()).toMatchObject([{ worker: 'w1', deadline: expect.any(Date) as Date }]);
  const [drain] = (await fixture.database.journal.restrictions(ARCH)).drains;
  expect(drain).toEqual({ ...drain, worker: 'w1', leftMs: expect.any(Number) });
  expect(drain!.leftMs).toBeGreaterThan(3_500_000);
  expect(drain!.leftMs).toBeLessThanOrEqual(3_600_000);
  await decisions().drain('w1', ada(), 'new disks');
  expect((await fixture.database.journal.restrictions(ARCH)).drains[0]).not.toHaveProperty('leftMs');
});

it('a worker is quarantined by an order to each of its architectures, when it is registered', async () => {
  expect(await decisions().quarantine('w8', ada(), 'odd disk')).toEqual([]);
  await fixture.client.query(
    `insert into workers (name, public_key, architectures, may_run_private, created_at)
     values ('w8', $1, $2, false, now())`,
    [`U${'A'.repeat(55)}`, [ARCH, 'arm64']],
  );
  expect(await decisions().quarantine('w8', ada(), 'odd disk')).toEqual([ARCH, 'arm64']);
  expect(await fixture.database.journal.orders(ARCH, 10)).toMatchObject([
    { kind: 'quarantine', worker: 'w8', by: 'ada', reason: 'odd disk' },
  ]);
  await fixture.client.query('update workers set revoked_at = now()');
  expect(await decisions().quarantine('w8', ada(), 'odd disk')).toEqual([]);
  await fixture.client.query('delete from workers');
});

it('the store of decisions keeps who declared which worker sound, and says which is unknown and which is sound already', async () => {
  const judge = (standing: string, worker = 'w1', arch = ARCH) =>
    fixture.client.query(
      `insert into worker_judgements (arch, worker, standing, reason, at) values ($1, $2, $3, 'x', now())`,
      [arch, worker, standing],
    );
  expect(await decisions().trust('w1', ada(), 'a new disk')).toBe('unknown');
  await judge('quarantined');
  await judge('slowed', 'w2');
  await judge('slowed', 'w1', 'arm64');
  expect(await decisions().trust('w1', ada(), 'a new disk')).toEqual([ARCH, 'arm64']);
  await judge('sound');
  await judge('sound', 'w1', 'arm64');
  expect(await decisions().trust('w1', ada())).toBe('sound');
  expect(await record()).toEqual([
    { ...nothing, arch: ARCH, kind: 'trust', worker: 'w1', reason: 'a new disk' },
    { ...nothing, arch: 'arm64', kind: 'trust', worker: 'w1', reason: 'a new disk' },
  ]);
  const runId = (await fixture.database.submissions.submit([request()], fixture.submitter))[0]!;
  await fixture.commit(ARCH, [grant(runId, 1, 0, 'busy')]);
  expect(await decisions().trust('busy', ada())).toBe('sound');
  await fixture.commit(ARCH, [
    { kind: 'requeue', runId, attempt: 1, outcome: 'returned', reason: 'no image', result: null },
  ]);
  expect(await decisions().trust('busy', ada())).toBe('sound');
  expect(await decisions().trust('bsuy', ada())).toBe('unknown');
});

it('a worker is not sound already while it waits to be quarantined', async () => {
  await fixture.client.query(
    `insert into workers (name, public_key, architectures, may_run_private, created_at) values ('w9', $1, $2, false, now())`,
    [`U${'B'.repeat(55)}`, [ARCH]],
  );
  await fixture.client.query(
    `insert into worker_judgements (arch, worker, standing, reason, at) values ($1, 'w9', 'sound', 'x', now())`,
    [ARCH],
  );
  await decisions().quarantine('w9', ada(), 'odd disk');
  expect(await decisions().trust('w9', ada())).toEqual([ARCH]);
  await fixture.client.query('update orders set taken_in = true');
  expect(await decisions().trust('w9', ada())).toBe('sound');
  await fixture.client.query('delete from workers');
});

it('a decision reaches a dispatcher that begins for the first time while everything is paused', async () => {
  const other = await connectTo(fixture.url);
  await other.query('begin');
  await other.query(`insert into dispatchers (arch, epoch, expires_at) values ('s390x', 1, now())`);
  const first = fixture.database.ownershipRegister.claim('s390x', 'scheduler-1', 60_000);
  await lockAwaited(fixture.url, 'insert into dispatchers');
  const paused = decisions().pause({ suite: null, arch: null }, ada(), 'maintenance');
  await lockAwaited(fixture.url, 'pg_advisory_xact_lock(');
  await other.query('rollback');
  await other.end();
  expect(await first).toMatchObject({ arch: 's390x' });
  expect(await paused).toEqual([ARCH, 'arm64', 's390x']);
  await fixture.client.query(`delete from dispatchers where arch = 's390x'`);
});

it('the store of decisions gives waiting runs another priority, with an order and a fact for each that changed', async () => {
  const [low, high, leased] = (await fixture.database.submissions.submit(
    [request({ priority: 2 }), request({ priority: 9 }), request({ priority: 2 })],
    fixture.submitter,
  )) as [number, number, number];
  const foreign = await runs.waiting({ priority: 2 }, await runs.otherKey());
  await fixture.commit(ARCH, [grant(leased, 1)]);
  const selection = { package: 'hello', keyId: fixture.submitter.keyId };
  expect(await decisions().reprioritise(selection, 9, ada(), 'a freeze')).toEqual([low]);
  expect(await decisions().reprioritise(selection, 9, ada())).toEqual([]);
  const priorities = async (runId: number) => (await fixture.database.results.find(runId))!.priority;
  expect(await Promise.all([low, high, leased, foreign].map(priorities))).toEqual([9, 9, 2, 2]);
  expect(await record()).toEqual([
    { ...nothing, arch: ARCH, kind: 'reprioritise', run_id: low, priority: 9, reason: 'a freeze' },
  ]);
  expect((await fixture.database.facts.ofRun(low)).at(-1)).toMatchObject({
    kind: 'reprioritised',
    state: 'queued',
    actor: 'user ada',
    reason: 'from 2 to 9: a freeze',
  });
});
