import { AccountsBusy, openDatabase, type WorkerRegistration } from '@proctor/database';
import { ARCH } from '../journal.fixture';
import { workerKey } from '@test/support/worker-register';
import { type Fixture, setUp } from './fixture';

let fixture: Fixture;

beforeAll(async () => {
  fixture = await setUp();
  for (const arch of [ARCH, 'arm64'])
    await fixture.database.ownershipRegister.claim(arch, 'scheduler-1', 60_000);
});
afterAll(() => fixture.close());
beforeEach(() => fixture.client.query('truncate workers, orders'));

const register = () => fixture.database.workerRegister;
const ada = () => ({ userId: fixture.submitter.userId, userName: 'ada' });
const worker = (name: string, changes: Partial<WorkerRegistration> = {}): WorkerRegistration => {
  return { name, publicKey: workerKey(), architectures: [ARCH], mayRunPrivate: false, ...changes };
};
const orders = async () =>
  (
    await fixture.client.query<{ order: string }>(
      `select concat_ws(' ', o.arch, o.kind, o.worker, u.name, o.reason) as order
       from orders o join users u on u.user_id = o.actor_id order by order_id`,
    )
  ).rows.map(({ order }) => order);

const sightingsOf = (...workers: string[]) => workers.map((worker) => ({ worker, from: null }));

it('the register of workers says which workers exist, and keeps for good who added each and why, for every dispatcher', async () => {
  const first = worker('w2', { architectures: [ARCH, 'i386'], mayRunPrivate: true });
  expect(await register().add(first, ada(), 'new machine')).toEqual([ARCH, 'arm64', 'i386']);
  const second = worker('w1');
  expect(await register().add(second, ada())).toEqual([ARCH, 'arm64']);
  const nothing = { lastSeenAt: null, lastSeenFrom: null, lastRefusal: null, lastRefusedAt: null };
  const added = { createdAt: expect.any(Date), revokedAt: null, refusals: 0, ...nothing };
  expect(await register().list()).toEqual([
    { ...second, ...added },
    { ...first, ...added },
  ]);
  expect(await register().valid()).toEqual(await register().list());
  expect(await register().find('w2')).toEqual({ ...first, ...added });
  expect(await register().find('w3')).toBeNull();
  expect(await orders()).toEqual([
    'amd64 register w2 ada new machine',
    'arm64 register w2 ada new machine',
    'i386 register w2 ada new machine',
    'amd64 register w1 ada',
    'arm64 register w1 ada',
  ]);
});

it.each([
  ['a name that is there', worker('w1'), 'there is already a worker w1'],
  ['a name with a dot', worker('a.b'), 'name: "a.b" cannot be a worker\'s name'],
  ['no architecture', worker('w2', { architectures: [] }), 'architectures: at least one is needed'],
  [
    'a bad architecture',
    worker('w2', { architectures: [ARCH, 'A B'] }),
    'architectures: "A B" cannot be an architecture\'s name',
  ],
  ['a bad key', worker('w2', { publicKey: 'SUA' }), 'public key: "SUA" is not that of an nkey user'],
])('the register of workers refuses %s and changes nothing', async (_what, change, message) => {
  await register().add(worker('w1'), ada());
  const before = [await register().list(), await orders()];
  await expect(register().add(change, ada())).rejects.toThrow(message);
  expect([await register().list(), await orders()]).toEqual(before);
});

it('the register of workers gives no key to two workers', async () => {
  const { publicKey } = worker('w1');
  await register().add(worker('w1', { publicKey }), ada());
  await expect(register().add(worker('w2', { publicKey }), ada())).rejects.toThrow('workers_public_key_key');
  expect(await register().list()).toHaveLength(1);
});

it('the register of workers takes another key for a worker, as long as it is valid', async () => {
  await register().add(worker('w1', { architectures: ['riscv64'] }), ada());
  const key = workerKey();
  expect(await register().rotate('w1', key, ada(), 'a lost disk')).toEqual([ARCH, 'arm64', 'riscv64']);
  expect(await register().find('w1')).toMatchObject({ publicKey: key, architectures: ['riscv64'] });
  expect((await orders()).slice(3)).toEqual([
    'amd64 rotate w1 ada a lost disk',
    'arm64 rotate w1 ada a lost disk',
    'riscv64 rotate w1 ada a lost disk',
  ]);
  await expect(register().rotate('w1', 'nothing', ada())).rejects.toThrow('public key: "nothing"');
  await expect(register().rotate('w2', workerKey(), ada())).rejects.toThrow('there is no worker w2');
  await register().revoke('w1', ada());
  await expect(register().rotate('w1', workerKey(), ada())).rejects.toThrow('worker w1 is revoked');
  expect(await register().find('w1')).toMatchObject({ publicKey: key });
});

it('the register of workers revokes a worker once, which stays in the list', async () => {
  await register().add(worker('w1'), ada());
  await register().add(worker('w2'), ada());
  expect(await register().revoke('w1', ada(), 'sold')).toEqual([ARCH, 'arm64']);
  expect(await register().list()).toMatchObject([
    { name: 'w1', revokedAt: expect.any(Date) },
    { name: 'w2', revokedAt: null },
  ]);
  expect(await register().valid()).toMatchObject([{ name: 'w2' }]);
  expect((await orders()).slice(4)).toEqual(['amd64 revoke w1 ada sold', 'arm64 revoke w1 ada sold']);
  await expect(register().revoke('w1', ada())).rejects.toThrow('worker w1 is revoked');
  await expect(register().revoke('w3', ada())).rejects.toThrow('there is no worker w3');
});

it('the register of workers takes a name again that was revoked, as a new worker', async () => {
  await register().add(worker('w1', { mayRunPrivate: true }), ada());
  await register().recordSeen(sightingsOf('w1'), [{ worker: 'w1', count: 3, reason: 'not for arm64' }]);
  await register().revoke('w1', ada());
  const again = worker('w1', { architectures: ['arm64'] });
  await register().add(again, ada());
  expect(await register().find('w1')).toMatchObject({
    ...again,
    ...{ revokedAt: null, lastSeenAt: null, refusals: 0, lastRefusal: null, lastRefusedAt: null },
  });
});

it('the register of workers brings up to date what is known of a worker, and says nothing when nothing has changed', async () => {
  const first = worker('w1');
  expect(await register().saveWorker(first, ada())).toBe(true);
  expect(await register().saveWorker(first, ada())).toBe(true);
  expect(await orders()).toHaveLength(2);
  await register().recordSeen(sightingsOf('w1'), []);
  const secondVersion = { ...first, architectures: [ARCH, 'arm64'], mayRunPrivate: true };
  expect(await register().saveWorker(secondVersion, ada())).toBe(true);
  expect(await register().find('w1')).toMatchObject({ ...secondVersion, lastSeenAt: expect.any(Date) });
  expect(await orders()).toHaveLength(4);
  await register().revoke('w1', ada());
  expect(await register().saveWorker(first, ada())).toBe(false);
  expect(await register().find('w1')).toMatchObject({ ...secondVersion, revokedAt: expect.any(Date) });
  await expect(register().saveWorker(worker(''), ada())).rejects.toThrow('name: ""');
});

it('the register of workers keeps where a worker was last seen from, as long as nothing else is known', async () => {
  await register().add(worker('w1'), ada());
  const seenFrom = async (from: string | null) => {
    await fixture.client.query(`update workers set last_seen_at = last_seen_at - interval '1 minute'`);
    await register().recordSeen([{ worker: 'w1', from }], []);
    return (await register().find('w1'))?.lastSeenFrom;
  };
  expect(await seenFrom(null)).toBeNull();
  expect(await seenFrom('192.0.2.7')).toBe('192.0.2.7');
  expect(await seenFrom(null)).toBe('192.0.2.7');
  expect(await seenFrom('2001:db8::1')).toBe('2001:db8::1');
});

it('the register of workers keeps when a worker was last seen, and writes that at most once a minute', async () => {
  for (const name of ['w1', 'w2', 'w3']) await register().add(worker(name), ada());
  const seenAt = async (name: string) => (await register().find(name))?.lastSeenAt;
  await register().recordSeen(sightingsOf('w2', 'w1', 'w9'), []);
  const before = await seenAt('w1');
  expect([before, await seenAt('w2'), await seenAt('w3')]).toEqual([
    expect.any(Date),
    expect.any(Date),
    null,
  ]);
  await register().recordSeen(sightingsOf('w1', 'w3'), []);
  expect([await seenAt('w1'), await seenAt('w3')]).toEqual([before, expect.any(Date)]);
  await fixture.client.query(`update workers set last_seen_at = last_seen_at - interval '1 minute'`);
  await register().recordSeen(sightingsOf('w1'), []);
  expect((await seenAt('w1'))!.getTime()).toBeGreaterThanOrEqual(before!.getTime());
});

it('the register of workers counts what was refused of a worker, with the last reason; of strangers nothing', async () => {
  await register().add(worker('w1'), ada());
  await register().add(worker('w2'), ada());
  const refusals = (worker: string, count: number, reason: string) => ({ worker, count, reason });
  await register().recordSeen([], [refusals('w1', 2, 'not for arm64'), refusals('w9', 7, 'unknown')]);
  await register().recordSeen([], [refusals('w2', 1, 'x'), refusals('w1', 3_000_000_000, 'not for i386')]);
  expect(await register().list()).toMatchObject([
    { name: 'w1', refusals: 3_000_000_002, lastRefusal: 'not for i386', lastRefusedAt: expect.any(Date) },
    { name: 'w2', refusals: 1, lastRefusal: 'x', lastSeenAt: null },
  ]);
});

it('the register of workers knows when each dispatcher that is alive has acted on a revocation', async () => {
  const isIngested = () => register().isRevocationIngested('w1');
  const ingest = async (arch: string) => {
    const waiting = await fixture.database.journal.orders(arch, 100);
    await fixture.commit(
      arch,
      waiting.map(({ orderId }) => ({ kind: 'ingest-order', orderId })),
    );
  };
  await register().add(worker('w1', { architectures: ['riscv64'] }), ada());
  expect(await isIngested()).toBe(true);
  await register().revoke('w1', ada());
  expect(await isIngested()).toBe(false);
  await ingest(ARCH);
  expect(await isIngested()).toBe(false);
  // No scheduler serves riscv64, and from now on none serves arm64.
  await fixture.database.ownershipRegister.release('arm64', 'scheduler-1');
  expect(await isIngested()).toBe(true);
  await fixture.database.ownershipRegister.claim('arm64', 'scheduler-1', 60_000);
  expect(await isIngested()).toBe(false);
  await ingest('arm64');
  expect(await isIngested()).toBe(true);
});

describe('the accounts', () => {
  /** Another process, as far as PostgreSQL knows. */
  const another = (accountsWaitMs = 30_000) => openDatabase(fixture.url, { accountsWaitMs });

  it('the accounts are made by one at a time, of all that is committed by then', async () => {
    const others = await Promise.all(Array.from({ length: 8 }, () => another()));
    const applied: string[][] = [];
    let atOnce = 0;
    const addOne = async ({ workerRegister }: (typeof others)[number], index: number): Promise<void> => {
      await workerRegister.add(worker(`w${index}`), ada());
      await workerRegister.applyAccounts(async (workers) => {
        atOnce += 1;
        expect(atOnce).toBe(1);
        // As long as a statement takes, others would come in between.
        await fixture.client.query('select');
        applied.push(workers.map(({ name }) => name));
        atOnce -= 1;
      });
    };
    await Promise.all(others.map(addOne));
    await Promise.all(others.map((each) => each.close()));
    expect(applied).toHaveLength(8);
    for (const [index, names] of applied.entries())
      expect(names).toEqual(expect.arrayContaining(applied[index - 1] ?? []));
    expect(applied.at(-1)).toEqual(['w0', 'w1', 'w2', 'w3', 'w4', 'w5', 'w6', 'w7']);
  });

  it('the accounts wait for another process no longer than the limit says, and are free again when it fails', async () => {
    const other = await another(200);
    const failing = register().applyAccounts(async () => {
      await expect(other.workerRegister.applyAccounts(() => Promise.resolve())).rejects.toThrow(AccountsBusy);
      throw new Error('nats-server does not take them');
    });
    await expect(failing).rejects.toThrow('nats-server does not take them');
    expect(await other.workerRegister.applyAccounts((workers) => Promise.resolve(workers))).toEqual([]);
    await other.close();
  });

  it('the accounts are not said to be done by one who has lost the lock meanwhile', async () => {
    const change = register().applyAccounts(async () => {
      await fixture.client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where application_name = 'proctor accounts' and datname = current_database()`,
      );
    });
    await expect(change).rejects.toThrow(/^the database is not available/);
  });
});
