import { KeyRefused, UnknownUser } from '@proctor/database';
import { createHash, randomUUID } from 'node:crypto';
import { type Fixture, setUp } from './fixture';

let fixture: Fixture;

beforeAll(async () => {
  fixture = await setUp();
});
afterAll(() => fixture.close());

const newName = () => `user-${randomUUID()}`;

it('an API key that has expired is refused, and another day brings it back', async () => {
  const { apiKeys } = fixture.database;
  const soon = new Date(Date.now() + 3_600_000);
  const { id, key } = await apiKeys.create('ada', 'x', undefined, { scope: 'read', expiresAt: soon });
  expect(await apiKeys.authenticate(key)).toMatchObject({ scope: 'read', expiresAt: soon });
  await fixture.client.query(`update api_keys set expires_at = '2026-01-02T03:04:05Z' where key_id = $1`, [
    id,
  ]);
  await expect(apiKeys.authenticate(key)).rejects.toThrow(
    new KeyRefused('This API key has expired, at 2026-01-02T03:04:05.000Z: make another one.'),
  );
  expect(await apiKeys.limit(id, 'another', { expiresAt: null })).toBe(false);
  expect(await apiKeys.limit(id, 'ada', { expiresAt: null })).toBe(true);
  expect(await apiKeys.authenticate(key)).toMatchObject({ scope: 'read', expiresAt: null, validMs: null });
  expect(await apiKeys.limit(id, 'ada', { scope: 'submit' })).toBe(true);
  expect(await apiKeys.authenticate(key)).toMatchObject({ scope: 'submit', expiresAt: null });
});

it('an API key that was imported by its SHA-1 opens what it did, and is known by its SHA-256 from then on', async () => {
  const { apiKeys } = fixture.database;
  const { id } = await apiKeys.create('ada', 'x');
  const [key, other] = [randomUUID(), randomUUID()];
  const sha1 = createHash('sha1').update(key).digest('hex');
  await fixture.client.query('update api_keys set key_hash = $2 where key_id = $1', [id, `sha1:${sha1}`]);
  expect(await apiKeys.authenticate(other)).toBeNull();
  expect(await apiKeys.authenticate(sha1)).toBeNull();
  expect(await apiKeys.authenticate(key)).toMatchObject({ keyId: id, userName: 'ada' });
  const { rows } = await fixture.client.query('select key_hash from api_keys where key_id = $1', [id]);
  expect(rows).toEqual([{ key_hash: createHash('sha256').update(key).digest('hex') }]);
  expect(await apiKeys.authenticate(key)).toMatchObject({ keyId: id });
});

describe('users who may not come in', () => {
  const by = { userId: null, userName: 'tester' };
  const newUser = async (isAdmin = false) => {
    const [name, subject] = [newName(), randomUUID()];
    const identity = { issuer: 'https://login.example.org', subject };
    const who = { names: [name], isAdmin, door: 'provider x' };
    const { user } = await fixture.database.identities.logIn(identity, who);
    await fixture.database.users.setPassword(name, 'a password of theirs');
    const { key } = await fixture.database.apiKeys.create(name, 'x');
    return { name, userId: user!.userId, key, logIn: () => fixture.database.identities.logIn(identity, who) };
  };
  beforeAll(() => fixture.database.users.add(newName(), { isAdmin: true }));

  it('a disabled user has no password, key, session or provider that opens anything, until they are enabled', async () => {
    const { users, apiKeys } = fixture.database;
    const { name, userId, key, logIn } = await newUser(true);
    expect(await users.setDisabled(name, true, by)).toBe('changed');
    expect(await users.setDisabled(name, true, by)).toBe('same');
    expect(await users.authenticate(name, 'a password of theirs')).toBeNull();
    expect(await users.byId(userId)).toBeNull();
    expect((await logIn()).user).toBeNull();
    await expect(apiKeys.authenticate(key)).rejects.toThrow(
      new KeyRefused(`The user ${name} of this API key is disabled.`),
    );
    expect(await users.record(name)).toMatchObject({ standing: 'disabled', isAdmin: true, keys: 1 });
    expect(await users.setDisabled(name, false, by)).toBe('changed');
    expect(await users.authenticate(name, 'a password of theirs')).toMatchObject({ userId });
    expect((await logIn()).user).toMatchObject({ userId });
    expect(await apiKeys.authenticate(key)).toMatchObject({ userId });
  });

  it('a removed user is gone for good, and no other user gets the name or the identity', async () => {
    const { users, apiKeys, webhooks } = fixture.database;
    const { name, userId, key, logIn } = await newUser(true);
    const settings = { url: 'https://hooks.example.org/', description: '', filter: {}, keyId: null };
    expect(await webhooks.add(settings, 'secret', { userId, userName: name }, 1)).not.toBeNull();
    expect(await users.remove(name, by)).toBe('changed');
    expect(await users.remove(name, by)).toBe('same');
    expect(await apiKeys.authenticate(key)).toBeNull();
    expect((await logIn()).user).toBeNull();
    const adding = users.add(name, { isAdmin: false });
    await expect(adding).rejects.toThrow(/is kept for a user who was removed/);
    for (const change of [
      () => users.setDisabled(name, true, by),
      () => users.setPassword(name, 'another password'),
      () => users.setAdministrator(name, true, by),
      () => apiKeys.create(name, 'x'),
    ])
      await expect(change()).rejects.toThrow(UnknownUser);
    const emptyAccount = { isAdmin: false, hasPassword: false, keys: 0, sessions: 0 };
    expect(await users.record(name)).toMatchObject({ ...emptyAccount, standing: 'removed' });
    expect(await users.setDisabled(name, false, by)).toBe('changed');
    expect(await users.record(name)).toMatchObject({ ...emptyAccount, standing: 'active' });
    expect(await webhooks.ofUser(userId)).toEqual([]);
    expect(await apiKeys.authenticate(key)).toBeNull();
  });

  it('the last administrator who may come in can be neither disabled nor removed', async () => {
    const { users } = fixture.database;
    const { rows } = await fixture.client.query<{ name: string }>(
      'select name from users where is_admin and disabled_at is null',
    );
    const [last, ...others] = rows.map((row) => row.name);
    for (const other of others) expect(await users.setDisabled(other, true, by)).toBe('changed');
    expect(await users.setDisabled(last!, true, by)).toBe('last');
    expect(await users.remove(last!, by)).toBe('last');
    expect(await users.setAdministrator(last!, false, by)).toBe('last');
    for (const other of others) await users.setDisabled(other, false, by);
  });
});
