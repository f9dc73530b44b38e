import { StaleEpoch } from '@proctor/dispatch';
import { ARCH, grant, request } from '../journal.fixture';
import { connectTo } from '@test/support/database';
import { type Fixture, lockAwaited, setUp } from './fixture';

const TTL_MS = 60_000;

let fixture: Fixture;
let runId: number;
let epoch: number;

beforeAll(async () => {
  fixture = await setUp();
});
afterAll(() => fixture.close());
beforeEach(async () => {
  await fixture.client.query('truncate runs, attempts, orders, facts, dispatchers, pauses');
  runId = (await fixture.database.submissions.submit([request()], fixture.submitter))[0]!;
  epoch = (await claim('one'))!;
});

async function claim(scheduler: string, arch = ARCH): Promise<number | undefined> {
  return (await fixture.database.ownershipRegister.claim(arch, scheduler, TTL_MS))?.epoch;
}

/** A dispatcher's turn that waits for the row of its run, until `end`. */
async function slowTurn() {
  await fixture.client.query('begin');
  await fixture.client.query('select from runs where run_id = $1 for update', [runId]);
  const commit = fixture.database.journal.commit(ARCH, epoch, [grant(runId, 1)]);
  const settled = Promise.allSettled([commit]);
  await lockAwaited(fixture.url, 'for no key update');
  return {
    async end() {
      await fixture.client.query('commit');
      return (await settled)[0];
    },
  };
}

it('a slow turn does not keep its ownership from being renewed, and is written', async () => {
  const turn = await slowTurn();
  for (let renewal = 0; renewal < 3; renewal += 1) expect(await claim('one')).toBe(epoch);
  expect(await turn.end()).toMatchObject({ status: 'fulfilled', value: [] });
  expect(await fixture.database.results.find(runId)).toMatchObject({ state: 'leased' });
});

it('a slow turn is not waited for by who takes over, and writes nothing then', async () => {
  const turn = await slowTurn();
  const other = await connectTo(fixture.url);
  await other.query(`update dispatchers set expires_at = now() - interval '1 ms'`);
  await other.end();
  const next = await claim('two');
  expect(next).toBeGreaterThan(epoch);
  const { runs } = await fixture.database.journal.load(ARCH, 1_000);
  expect(runs).toMatchObject([{ runId, attempt: 0, lease: null }]);
  const { status, reason } = (await turn.end()) as PromiseRejectedResult;
  expect([status, reason]).toEqual(['rejected', expect.any(StaleEpoch)]);
  expect(await fixture.database.results.find(runId)).toMatchObject({ state: 'queued', attempt: 0 });
  expect(await fixture.database.journal.commit(ARCH, next!, [grant(runId, 1)])).toEqual([]);
});

it('a slow turn that has made sure of its epoch is waited for by who takes over, and by no renewal', async () => {
  await fixture.client.query('begin');
  await fixture.client.query('select 1 from dispatchers where arch = $1 and epoch = $2 for key share', [
    ARCH,
    epoch,
  ]);
  expect(await claim('one')).toBe(epoch);
  await fixture.database.ownershipRegister.release(ARCH, 'one');
  let isTaken = false;
  const taking = claim('two').then((next) => {
    isTaken = true;
    return next;
  });
  await lockAwaited(fixture.url, 'insert into dispatchers');
  expect(isTaken).toBe(false);
  await fixture.client.query('commit');
  expect(await taking).toBeGreaterThan(epoch);
});

it('a decision about every architecture keeps no ownership from being renewed, and no new owner misses it', async () => {
  await fixture.client.query('begin');
  await fixture.client.query('lock table pauses');
  const by = { userId: fixture.submitter.userId, userName: 'ada' };
  const pausing = fixture.database.decisions.pause({ suite: null, arch: null }, by, 'maintenance');
  await lockAwaited(fixture.url, 'insert into pauses');
  expect(await claim('one')).toBe(epoch);
  const taking = claim('one', 'arm64');
  await lockAwaited(fixture.url, 'insert into dispatchers');
  await fixture.client.query('commit');
  await Promise.all([pausing, taking]);
  const restrictions = await fixture.database.journal.restrictions('arm64');
  expect(restrictions.pauses).toMatchObject([{ reason: 'maintenance' }]);
  expect(await fixture.database.journal.orders(ARCH, 10)).toMatchObject([{ kind: 'restrictions' }]);
});

it('a slow turn is given up after its limit, and writes nothing then', async () => {
  await fixture.client.query('begin');
  await fixture.client.query('select from runs where run_id = $1 for update', [runId]);
  const turn = fixture.database.journal.commit(ARCH, epoch, [grant(runId, 1)], 200);
  await expect(turn).rejects.toThrow(/statement timeout|took too long/);
  await fixture.client.query('commit');
  expect(await fixture.database.results.find(runId)).toMatchObject({ state: 'queued', attempt: 0 });
  expect(await fixture.database.journal.commit(ARCH, epoch, [grant(runId, 1)], 60_000)).toEqual([]);
});
