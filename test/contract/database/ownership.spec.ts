import { StaleEpoch, type OwnershipRegister } from '@proctor/dispatch';
import { type Fixture, setUp } from './fixture';

const TTL_MS = 60_000;

let fixture: Fixture;
let register: OwnershipRegister;

beforeAll(async () => {
  fixture = await setUp();
  register = fixture.database.ownershipRegister;
});
afterAll(() => fixture.close());
beforeEach(() => fixture.client.query('truncate dispatchers, schedulers'));

/** As if the time to live had passed. */
async function expire(table: 'dispatchers' | 'schedulers'): Promise<void> {
  await fixture.client.query(`update ${table} set expires_at = now() - interval '1 ms'`);
}

/** The epoch of a claim that must succeed. */
async function epochOf(arch: string, scheduler: string): Promise<number> {
  const owned = await register.claim(arch, scheduler, TTL_MS);
  expect(owned?.arch).toBe(arch);
  return owned!.epoch;
}

it('claiming an architecture succeeds for one, and renewing keeps the epoch', async () => {
  const epoch = await epochOf('amd64', 'one');
  expect(await register.claim('amd64', 'two', TTL_MS)).toBeNull();
  expect(await epochOf('amd64', 'one')).toBe(epoch);
  await epochOf('arm64', 'two');
});

it('claiming an architecture gives one of many that claim at once the ownership', async () => {
  const schedulers = Array.from({ length: 8 }, (_, place) => `scheduler-${place}`);
  const claims = await Promise.all(schedulers.map((scheduler) => register.claim('amd64', scheduler, TTL_MS)));
  expect(claims.filter((claim) => claim !== null)).toMatchObject([{ arch: 'amd64' }]);
});

it('claiming an architecture raises the epoch when the owner changes, after its time or after its release', async () => {
  const epochs = [await epochOf('amd64', 'one')];
  await expire('dispatchers');
  epochs.push(await epochOf('amd64', 'two'));
  await register.release('amd64', 'two');
  epochs.push(await epochOf('amd64', 'one'));
  expect(epochs).toEqual([...new Set(epochs)].sort((a, b) => a - b));
});

it('claiming an architecture raises the epoch when the same scheduler claims what had run out or was given up', async () => {
  const epochs = [await epochOf('amd64', 'one')];
  await expire('dispatchers');
  epochs.push(await epochOf('amd64', 'one'));
  await register.release('amd64', 'one');
  epochs.push(await epochOf('amd64', 'one'));
  expect(epochs).toEqual([...new Set(epochs)].sort((a, b) => a - b));
});

it('claiming an architecture gives a higher epoch than any before, also when the database was restored to an earlier moment', async () => {
  const before = await epochOf('amd64', 'one');
  await fixture.client.query('update dispatchers set epoch = 7, owner = null');
  expect(await epochOf('amd64', 'two')).toBeGreaterThan(before);
  await fixture.client.query('truncate dispatchers');
  expect(await epochOf('amd64', 'two')).toBeGreaterThan(before);
});

it('claiming an architecture raises the epoch also while the clock of the database is behind it', async () => {
  const ahead = 2 ** 52;
  await register.claim('amd64', 'one', TTL_MS);
  await fixture.client.query('update dispatchers set epoch = $1, owner = null', [ahead]);
  const epoch = await epochOf('amd64', 'two');
  expect(epoch).toBeGreaterThan(ahead);
  expect(epoch).toBeLessThanOrEqual(ahead + 1_000);
});

it('claiming an architecture prolongs by the time to live', async () => {
  await register.claim('amd64', 'one', 1);
  await register.claim('amd64', 'one', TTL_MS);
  expect(await register.claim('amd64', 'two', TTL_MS)).toBeNull();
});

it('claiming an architecture is not undone by the release of another scheduler', async () => {
  await register.claim('amd64', 'one', TTL_MS);
  await register.release('amd64', 'two');
  expect(await register.claim('amd64', 'two', TTL_MS)).toBeNull();
});

describe('former ownerships', () => {
  const commit = (epoch: number) => fixture.database.journal.commit('amd64', epoch, []);
  /** As after a restart, a restore or a failover: the row was written under another server. */
  const replaceServer = () =>
    fixture.client.query(
      `update dispatchers set server_started_at = server_started_at - interval '1 microsecond'`,
    );

  it.each<[string, () => Promise<unknown>]>([
    ['its time has passed', () => expire('dispatchers')],
    ['another server has taken over', replaceServer],
  ])('an ownership that is over writes nothing when %s, though there is no other', async (_, end) => {
    const epoch = await epochOf('amd64', 'one');
    await commit(epoch);
    await end();
    await expect(commit(epoch)).rejects.toThrow(StaleEpoch);
  });

  it.each(['one', 'two'])(
    'an ownership that is over since another server has taken over is not renewed, but taken by %s',
    async (next) => {
      const before = await epochOf('amd64', 'one');
      await replaceServer();
      const epoch = await epochOf('amd64', next);
      expect(epoch).toBeGreaterThan(before);
      await commit(epoch);
      expect(await epochOf('amd64', next)).toBe(epoch);
    },
  );

  it('an ownership that is over in a database whose clock is behind is followed by an epoch that a copy of it would hardly give', async () => {
    await epochOf('amd64', 'one');
    const epochs = new Set<number>();
    for (let copy = 0; copy < 20; copy += 1) {
      await fixture.client.query('update dispatchers set epoch = $1, owner = null', [2 ** 52]);
      epochs.add(await epochOf('amd64', 'two'));
    }
    expect(epochs.size).toBeGreaterThan(10);
  });
});

describe('a clock that was set back', () => {
  let epoch: number;

  beforeEach(async () => {
    await register.reportAlive('one', TTL_MS);
    epoch = await epochOf('amd64', 'one');
    for (const table of ['dispatchers', 'schedulers'])
      await fixture.client.query(`update ${table} set expires_at = expires_at + interval '1 hour'`);
  });

  it.each<[string, (scheduler: string) => Promise<unknown>]>([
    ['announces itself', (scheduler) => register.reportAlive(scheduler, TTL_MS)],
    ['steps aside', (scheduler) => register.stepAside(scheduler, TTL_MS)],
  ])(
    'no scheduler lives, and no ownership lasts, for longer than the time to live after the clock was set back: another %s',
    async (_, look) => {
      await look('two');
      const { rows } = await fixture.client.query<{ table: string; seconds: number }>(`
      select 'schedulers' as table, ceil(extract(epoch from max(expires_at) - now()))::integer as seconds
      from schedulers union all
      select 'dispatchers', ceil(extract(epoch from max(expires_at) - now()))::integer from dispatchers`);
      expect(rows).toHaveLength(2);
      for (const { seconds } of rows) expect(seconds).toBeLessThanOrEqual(TTL_MS / 1_000 + 1);
    },
  );

  it('schedulers that live go on as they were after the clock was set back', async () => {
    expect(await register.reportAlive('two', TTL_MS)).toEqual(['one', 'two']);
    expect(await register.claim('amd64', 'two', TTL_MS)).toBeNull();
    expect(await epochOf('amd64', 'one')).toBe(epoch);
  });
});

it('announcing answers all that live, itself included, sorted', async () => {
  expect(await register.reportAlive('two', TTL_MS)).toEqual(['two']);
  expect(await register.reportAlive('one', TTL_MS)).toEqual(['one', 'two']);
  await expire('schedulers');
  expect(await register.reportAlive('three', TTL_MS)).toEqual(['three']);
  expect((await fixture.client.query('select from schedulers')).rowCount).toBe(1);
});

it('announcing works for many that come back at once after a pause', async () => {
  const schedulers = Array.from({ length: 8 }, (_, place) => `scheduler-${place}`);
  for (let round = 0; round < 20; round += 1) {
    await Promise.all(schedulers.map((scheduler) => register.reportAlive(scheduler, TTL_MS)));
    await expire('schedulers');
  }
  await Promise.all(schedulers.map((scheduler) => register.reportAlive(scheduler, TTL_MS)));
  expect(await register.reportAlive('scheduler-0', TTL_MS)).toEqual(schedulers);
});

it('announcing ends when it steps aside, and what is owned stays so', async () => {
  await register.reportAlive('one', TTL_MS);
  await register.reportAlive('two', TTL_MS);
  const epoch = await epochOf('amd64', 'one');
  expect(await register.stepAside('one', TTL_MS)).toEqual(['two']);
  expect(await register.reportAlive('two', TTL_MS)).toEqual(['two']);
  expect(await register.claim('amd64', 'two', TTL_MS)).toBeNull();
  expect(await epochOf('amd64', 'one')).toBe(epoch);
  await expire('schedulers');
  expect(await register.stepAside('one', TTL_MS)).toEqual([]);
});

it('announcing ends with the withdrawal, and so does everything owned', async () => {
  await register.reportAlive('one', TTL_MS);
  await register.reportAlive('two', TTL_MS);
  await register.claim('amd64', 'one', TTL_MS);
  const epoch = await epochOf('arm64', 'two');
  await register.withdraw('one');
  expect(await register.reportAlive('two', TTL_MS)).toEqual(['two']);
  await epochOf('amd64', 'two');
  expect(await epochOf('arm64', 'two')).toBe(epoch);
});
