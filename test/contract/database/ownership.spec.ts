import type { OwnershipRegister } from '@proctor/dispatch';
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

describe('claiming an architecture', () => {
  it('succeeds for one, and renewing keeps the epoch', async () => {
    const owned = await register.claim('amd64', 'one', TTL_MS);
    expect(owned).toEqual({ arch: 'amd64', epoch: 1 });
    expect(await register.claim('amd64', 'two', TTL_MS)).toBeNull();
    expect(await register.claim('amd64', 'one', TTL_MS)).toEqual(owned);
    expect(await register.claim('arm64', 'two', TTL_MS)).toEqual({ arch: 'arm64', epoch: 1 });
  });

  it('gives one of many that claim at once the ownership', async () => {
    const schedulers = Array.from({ length: 8 }, (_, place) => `scheduler-${place}`);
    const claims = await Promise.all(
      schedulers.map((scheduler) => register.claim('amd64', scheduler, TTL_MS)),
    );
    expect(claims.filter((claim) => claim !== null)).toEqual([{ arch: 'amd64', epoch: 1 }]);
  });

  it('raises the epoch when the owner changes, after its time or after its release', async () => {
    await register.claim('amd64', 'one', TTL_MS);
    await expire('dispatchers');
    expect(await register.claim('amd64', 'two', TTL_MS)).toEqual({ arch: 'amd64', epoch: 2 });
    await register.release('amd64', 'two');
    expect(await register.claim('amd64', 'one', TTL_MS)).toEqual({ arch: 'amd64', epoch: 3 });
  });

  it('raises the epoch when the same scheduler claims what had run out or was given up', async () => {
    await register.claim('amd64', 'one', TTL_MS);
    await expire('dispatchers');
    expect(await register.claim('amd64', 'one', TTL_MS)).toEqual({ arch: 'amd64', epoch: 2 });
    await register.release('amd64', 'one');
    expect(await register.claim('amd64', 'one', TTL_MS)).toEqual({ arch: 'amd64', epoch: 3 });
  });

  it('prolongs by the time to live', async () => {
    await register.claim('amd64', 'one', 1);
    await register.claim('amd64', 'one', TTL_MS);
    expect(await register.claim('amd64', 'two', TTL_MS)).toBeNull();
  });

  it('is not undone by the release of somebody else', async () => {
    await register.claim('amd64', 'one', TTL_MS);
    await register.release('amd64', 'two');
    expect(await register.claim('amd64', 'two', TTL_MS)).toBeNull();
  });
});

describe('announcing', () => {
  it('answers all that live, itself included, sorted', async () => {
    expect(await register.announce('two', TTL_MS)).toEqual(['two']);
    expect(await register.announce('one', TTL_MS)).toEqual(['one', 'two']);
    await expire('schedulers');
    expect(await register.announce('three', TTL_MS)).toEqual(['three']);
    expect((await fixture.client.query('select from schedulers')).rowCount).toBe(1);
  });

  it('works for many that come back at once after a pause', async () => {
    const schedulers = Array.from({ length: 8 }, (_, place) => `scheduler-${place}`);
    for (let round = 0; round < 20; round += 1) {
      await Promise.all(schedulers.map((scheduler) => register.announce(scheduler, TTL_MS)));
      await expire('schedulers');
    }
    await Promise.all(schedulers.map((scheduler) => register.announce(scheduler, TTL_MS)));
    expect(await register.announce('scheduler-0', TTL_MS)).toEqual(schedulers);
  });

  it('ends with the withdrawal, and so does everything owned', async () => {
    await register.announce('one', TTL_MS);
    await register.announce('two', TTL_MS);
    await register.claim('amd64', 'one', TTL_MS);
    await register.claim('arm64', 'two', TTL_MS);
    await register.withdraw('one');
    expect(await register.announce('two', TTL_MS)).toEqual(['two']);
    expect(await register.claim('amd64', 'two', TTL_MS)).toEqual({ arch: 'amd64', epoch: 2 });
    expect(await register.claim('arm64', 'two', TTL_MS)).toEqual({ arch: 'arm64', epoch: 1 });
  });
});
