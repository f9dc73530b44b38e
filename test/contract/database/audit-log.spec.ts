import {
  type AuditFilter,
  type AuditRecord,
  COMMAND_LINE,
  REFUSED_LOGINS_MAX,
  REFUSED_LOGINS_OF_NETWORK_MAX,
  REFUSED_LOGINS_PER_HOUR_MAX,
} from '@proctor/database';
import { randomUUID } from 'node:crypto';
import { ARCH, request } from '../journal.fixture';
import { type Fixture, setUp } from './fixture';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await setUp();
  await fixture.database.ownershipRegister.claim(ARCH, 'scheduler-1', 60_000);
});
afterAll(() => fixture.close());
beforeEach(() => fixture.client.query('truncate audit_entries'));

const ada = () => ({ userId: fixture.submitter.userId, userName: 'ada', address: '192.0.2.7' });
const log = () => fixture.database.auditLog;
const submit = (count: number) =>
  fixture.database.submissions.submit(
    Array.from({ length: count }, () => request()),
    fixture.submitter,
  );
/** All of them, the oldest first. */
async function entries(filter: AuditFilter = {}): Promise<Partial<AuditRecord>[]> {
  const entries = await log().list(filter, 100, null);
  return entries
    .reverse()
    .map(({ action, user, subject, detail, runs }) => ({ action, user, subject, detail, runs }));
}
const of = (action: string, subject: string, more: object = {}) => {
  return { action, user: 'ada', subject, detail: null, runs: null, ...more };
};

it('the audit log has each decision about queues and workers once, and none that changed nothing', async () => {
  const { decisions, workerRegister } = fixture.database;
  await decisions.pause({ suite: 'sid', arch: null }, ada(), 'a broken mirror');
  expect(await decisions.resume({ suite: null, arch: null }, ada())).toBe(false);
  await decisions.resume({ suite: 'sid', arch: null }, ada());
  await decisions.drain('w1', ada(), 'new disks');
  await decisions.undrain('w1', ada());
  expect(await decisions.undrain('w1', ada())).toBe(false);
  const publicKey = `U${'A'.repeat(55)}`;
  const worker = { name: 'w9', publicKey, architectures: [ARCH], mayRunPrivate: false };
  await workerRegister.add(worker, ada(), 'bought');
  await expect(workerRegister.add(worker, ada())).rejects.toThrow('already a worker');
  await workerRegister.rotate('w9', `U${'B'.repeat(55)}`, ada());
  await workerRegister.revoke('w9', ada());
  const pause = 'suite sid on every architecture';
  expect(await entries()).toEqual([
    of('queue-paused', pause, { detail: 'a broken mirror' }),
    of('queue-resumed', pause),
    of('worker-drained', 'worker w1', { detail: 'new disks' }),
    of('worker-undrained', 'worker w1'),
    of('worker-added', 'worker w9', { detail: 'bought' }),
    of('worker-rotated', 'worker w9'),
    of('worker-revoked', 'worker w9'),
  ]);
  expect((await log().list({}, 1, null))[0]).toMatchObject({ address: '192.0.2.7', at: expect.any(Date) });
});

it('the audit log counts the runs of a decision in one entry, however many transactions it takes', async () => {
  const { cancellations, decisions, publications } = fixture.database;
  const runIds = await submit(1_500);
  await decisions.reprioritise({ runIds }, 9, ada(), 'a transition');
  await cancellations.cancel(runIds[0]!, ada(), 'a mistake');
  expect(await cancellations.cancel(runIds[0]!, ada())).toBe('finished');
  const selection = { package: request().package, suite: request().suite };
  await cancellations.cancelMatching(selection, ada());
  expect(await cancellations.cancelMatching(selection, ada())).toEqual([]);
  const [hidden] = await fixture.database.submissions.submit(
    [request({ isPrivate: true })],
    fixture.submitter,
  );
  await publications.publish([hidden!], fixture.submitter.keyId, '192.0.2.7');
  const names = `runs ${runIds.slice(0, 5).join(', ')} and 1495 more`;
  expect(await entries()).toEqual([
    of('runs-reprioritised', names, { detail: 'to 9: a transition', runs: 1_500 }),
    of('runs-cancelled', `run ${runIds[0]}`, { detail: 'a mistake', runs: 1 }),
    of('runs-cancelled', `package ${selection.package}, suite ${selection.suite}`, { runs: 1_499 }),
    of('runs-published', `run ${hidden}`, { runs: 1 }),
  ]);
  const [entry] = await log().list({ action: 'runs-published', subject: `run ${hidden}` }, 1, null);
  expect(entry!.address).toBe('192.0.2.7');
});

it('the audit log has what is done to users and keys, and who did it, and no secret', async () => {
  const { users, apiKeys } = fixture.database;
  const name = `user-${randomUUID()}`;
  await users.add(name, { isAdmin: true, password: 'a secret', by: COMMAND_LINE });
  await expect(users.add(name, { isAdmin: false, by: ada() })).rejects.toThrow('already a user');
  await users.setPassword(name, 'another secret', ada());
  await users.endSessions(name, ada());
  const { id } = await apiKeys.create(name, 'laptop', ada());
  await apiKeys.rotate(id, name, ada());
  await apiKeys.revoke(id, undefined, ada());
  expect(await apiKeys.revoke(id, undefined, ada())).toBeNull();
  const user = `user ${name}`;
  const key = { detail: `“laptop” of ${name}` };
  expect(await entries()).toEqual([
    of('user-added', user, { user: 'command line', detail: 'an administrator' }),
    of('password-set', user),
    of('sessions-ended', user, { detail: '0 of them' }),
    of('key-created', `key ${id}`, key),
    of('key-rotated', `key ${id}`, key),
    of('key-revoked', `key ${id}`, key),
  ]);
});

it('an administrator is appointed and dismissed, and one is always left', async () => {
  const { users } = fixture.database;
  const [first, second] = [`a-${randomUUID()}`, `b-${randomUUID()}`];
  await fixture.client.query('update users set is_admin = false');
  await users.add(first, { isAdmin: true });
  await users.add(second, { isAdmin: false });
  expect(await users.setAdministrator(first, false, ada())).toBe('last');
  expect(await users.setAdministrator(second, true, ada())).toBe('changed');
  expect(await users.setAdministrator(second, true, ada())).toBe('same');
  const both = await Promise.all([first, second].map((name) => users.setAdministrator(name, false, ada())));
  expect(both.sort()).toEqual(['changed', 'last']);
  expect((await entries()).map(({ action }) => action)).toEqual([
    'administrator-appointed',
    'administrator-dismissed',
  ]);
});

it('the audit log is filtered by who, what, about what and when, and read in pages', async () => {
  const add = (action: 'login' | 'key-revoked', userName: string, subject?: string) =>
    log().add({ action, userId: null, userName, ...(subject !== undefined && { subject }) });
  for (const [action, user, subject] of [
    ['login', 'ann', 'password'],
    ['key-revoked', 'ann', 'key 12'],
    ['key-revoked', 'bob', 'key 1%'],
  ] as const)
    await add(action, user, subject);
  const subjects = async (filter: AuditFilter) => (await entries(filter)).map(({ subject }) => subject);
  expect(await subjects({ user: 'ann' })).toEqual(['password', 'key 12']);
  expect(await subjects({ action: 'key-revoked' })).toEqual(['key 12', 'key 1%']);
  expect(await subjects({ subject: 'key 1%' })).toEqual(['key 1%']);
  expect(await subjects({ subject: 'key 1*' })).toEqual(['key 12', 'key 1%']);
  await fixture.client.query(`update audit_entries set created_at = created_at - interval '2 days'
    where subject = 'password'`);
  const yesterday = new Date(Date.now() - 86_400_000);
  expect(await subjects({ since: yesterday })).toEqual(['key 12', 'key 1%']);
  expect(await subjects({ until: yesterday })).toEqual(['password']);

  const first = await log().list({}, 2, null);
  const rest = await log().list({}, 2, first.at(-1)!.entryId);
  expect([...first, ...rest].map(({ subject }) => subject)).toEqual(['key 1%', 'key 12', 'password']);
  expect(await log().list({}, 2, 1_000_000)).toEqual([]);
});

describe('refused logins in the audit log', () => {
  const refuse = (userName: string, address: string, by = 'password') =>
    log().addRefusedLogin({ userName, by, address });
  /** So many as other logins have left, each from a network of its own. */
  const refusals = (count: number, hoursAgo: number) =>
    fixture.client.query(
      `insert into audit_entries (action, user_name, subject, address, created_at)
       select 'login-refused', 'earlier', 'password', 'network ' || number, now() - $2 * interval '1 hour'
       from generate_series(1, $1::integer) number`,
      [count, hoursAgo],
    );
  const newest = async (count: number) =>
    (await log().list({}, count, null))
      .reverse()
      .map(({ user, subject, detail, address }) => [user, subject, detail, address]);
  const count = async () => {
    const { rows } = await fixture.client.query<{ count: number }>(
      'select count(*)::integer as count from audit_entries',
    );
    return rows[0]!.count;
  };

  it('are one entry for each name, way in and network within an hour, which counts them', async () => {
    for (const name of ['eve', 'eve', 'mallory', 'eve']) await refuse(name, '192.0.2.1');
    await refuse('eve', '192.0.2.2');
    await refuse('eve', '192.0.2.1', 'keycloak');
    expect(await newest(9)).toEqual([
      ['eve', 'password', '3 times', '192.0.2.1'],
      ['mallory', 'password', null, '192.0.2.1'],
      ['eve', 'password', null, '192.0.2.2'],
      ['eve', 'keycloak', null, '192.0.2.1'],
    ]);
    await fixture.client.query(`update audit_entries set created_at = created_at - interval '61 minutes'`);
    await refuse('eve', '192.0.2.1');
    expect((await newest(9)).at(-1)).toEqual(['eve', 'password', null, '192.0.2.1']);
  });

  it('of one network are so many an hour, and beyond that counted in one entry', async () => {
    const names = Array.from({ length: REFUSED_LOGINS_OF_NETWORK_MAX + 7 }, (_, place) => `name-${place}`);
    for (const name of names) await refuse(name, '192.0.2.1');
    await refuse('name-0', '192.0.2.1');
    const entries = await newest(100);
    expect(entries).toHaveLength(REFUSED_LOGINS_OF_NETWORK_MAX + 1);
    expect(entries[0]).toEqual(['name-0', 'password', '2 times', '192.0.2.1']);
    expect(entries.at(-1)).toEqual(['other names', 'password', '7 times', '192.0.2.1']);
  });

  it('of all networks are so many an hour, and beyond that counted in one entry', async () => {
    await refusals(REFUSED_LOGINS_PER_HOUR_MAX, 0.5);
    for (const network of [1, 2, 3]) await refuse('eve', `192.0.2.${network}`);
    expect(await count()).toBe(REFUSED_LOGINS_PER_HOUR_MAX + 1);
    expect(await newest(1)).toEqual([['other names', 'password', '3 times', null]]);
  });

  it('are kept up to a number: the oldest go, and no other entry', async () => {
    await log().add({ action: 'login', subject: 'password', ...ada() });
    await refusals(1, 10_000);
    await refusals(REFUSED_LOGINS_MAX, 3);
    await refuse('eve', '192.0.2.1');
    expect(await count()).toBe(REFUSED_LOGINS_MAX + 1);
    expect(await log().list({ action: 'login' }, 9, null)).toHaveLength(1);
    expect(await newest(1)).toEqual([['eve', 'password', null, '192.0.2.1']]);
    expect(await log().list({ until: new Date(Date.now() - 7_200 * 3_600_000) }, 9, null)).toEqual([]);
  });
});
