import { InvalidUserName, UnknownUser, UserExists } from '@proctor/database';
import { createHash, randomUUID } from 'node:crypto';
import { type Fixture, lockAwaited, setUp } from './fixture';

let fixture: Fixture;

beforeAll(async () => {
  fixture = await setUp();
});
afterAll(() => fixture.close());

const newName = () => `user-${randomUUID()}`;

it('users are found by their name, as they were added', async () => {
  const { users } = fixture.database;
  const [plain, admin] = [newName(), newName()];
  const added = await users.add(plain, { isAdmin: false });
  expect(added).toEqual({ userId: expect.any(Number), name: plain, isAdmin: false });
  expect(await users.find(plain)).toEqual(added);
  expect(await users.add(admin, { isAdmin: true })).toMatchObject({ isAdmin: true });
  expect(await users.find(newName())).toBeNull();
});

it('users are refused a second time under the same name, also by two at once', async () => {
  const { users } = fixture.database;
  const name = newName();
  const both = await Promise.allSettled([
    users.add(name, { isAdmin: false }),
    users.add(name, { isAdmin: true }),
  ]);
  expect(both.map((result) => result.status).sort()).toEqual(['fulfilled', 'rejected']);
  await expect(users.add(name, { isAdmin: false })).rejects.toThrow(UserExists);
});

it.each(['', 'a b', 'a\nb', 'ü', '../a'])('users are refused with the name %j', async (name) => {
  await expect(fixture.database.users.add(name, { isAdmin: false })).rejects.toThrow(InvalidUserName);
});

it('users have the password that was set last, and it is not readable', async () => {
  const { users } = fixture.database;
  const name = newName();
  const user = await users.add(name, { isAdmin: false, password: 'one pässword' });
  expect(await users.authenticate(name, 'one pässword')).toEqual(user);
  expect(await users.authenticate(name, 'another')).toBeNull();
  await users.setPassword(name, 'second');
  expect(await users.authenticate(name, 'one pässword')).toBeNull();
  expect(await users.authenticate(name, 'second')).toEqual(user);
  const { rows } = await fixture.client.query<Record<string, unknown>>(
    'select * from users where name = $1',
    [name],
  );
  expect(JSON.stringify(rows)).not.toContain('second');
});

it('users without a password, and users that are not there, have none that fits', async () => {
  const { users } = fixture.database;
  expect(await users.authenticate('ada', '')).toBeNull();
  expect(await users.authenticate(newName(), '')).toBeNull();
  await expect(users.setPassword(newName(), 'x')).rejects.toThrow(UnknownUser);
});

describe('who logs in by a provider', () => {
  const issuer = 'https://login.example.org';
  const logIn = (subject: string, names: string[], isAdmin: boolean | null = null) =>
    fixture.database.identities.logIn({ issuer, subject }, { names, isAdmin, door: 'provider x' });

  it('who logs in by a provider is the same user each time, whatever the name', async () => {
    const [subject, name] = [randomUUID(), newName()];
    const first = await logIn(subject, [name]);
    expect(first).toEqual({
      user: { userId: expect.any(Number), name, isAdmin: false },
      isNew: true,
      isChanged: false,
    });
    expect(await logIn(subject, [newName()])).toEqual({ ...first, isNew: false });
    expect(await fixture.database.users.hasPassword(name)).toBe(false);
  });

  it('who logs in by a provider is never a user who is there, nor one of another provider', async () => {
    const { users, identities } = fixture.database;
    const [subject, name] = [randomUUID(), newName()];
    const local = await users.add(name, { isAdmin: true });
    const names = [name, `${name}-2`, `${name}-3`];
    const { user } = await logIn(subject, names);
    expect([user!.name, user!.isAdmin, user!.userId === local.userId]).toEqual([`${name}-2`, false, false]);
    const other = await identities.logIn(
      { issuer: 'https://other.example', subject },
      { names, isAdmin: null, door: 'provider y' },
    );
    expect(other.user!.name).toBe(`${name}-3`);
    await expect(logIn(randomUUID(), names)).rejects.toThrow('every name for a new user is taken');
  });

  it('who logs in by a provider for the first time twice at once is one user', async () => {
    const [subject, name] = [randomUUID(), newName()];
    const both = await Promise.all([1, 2, 3].map(() => logIn(subject, [name, `${name}-2`, `${name}-3`])));
    expect(new Set(both.map(({ user }) => user!.userId)).size).toBe(1);
    expect(both.filter(({ isNew }) => isNew)).toHaveLength(1);
  });

  it('who logs in by a provider becomes an administrator, and is one no longer, as it says', async () => {
    const [subject, name] = [randomUUID(), newName()];
    const roles = [];
    for (const isAdmin of [false, true, null, false, null]) {
      const { user, isChanged } = await logIn(subject, [name], isAdmin);
      roles.push([user!.isAdmin, isChanged, (await fixture.database.users.find(name))?.isAdmin]);
    }
    expect(roles).toEqual([
      [false, false, false],
      [true, true, true],
      [true, false, true],
      [false, true, false],
      [false, false, false],
    ]);
  });
});

it('an API key identifies its user', async () => {
  const { users, apiKeys } = fixture.database;
  const name = newName();
  const { userId } = await users.add(name, { isAdmin: true });
  const { id, key, prefix } = await apiKeys.create(name, 'laptop');
  expect(key.startsWith(prefix)).toBe(true);
  // 224 random bits.
  expect(key).toMatch(/[0-9a-f]{56}$/);
  expect(await apiKeys.authenticate(key)).toMatchObject({
    ...{ userId, userName: name, keyId: id, isAdmin: true },
    ...{ scope: 'everything', expiresAt: null, validMs: null },
  });
  await expect(apiKeys.create(newName(), 'x')).rejects.toThrow(UnknownUser);
});

it('API keys are kept as a hash only', async () => {
  const { key, prefix } = await fixture.database.apiKeys.create('ada', 'x');
  const { rows } = await fixture.client.query<Record<string, unknown>>(
    'select * from api_keys where prefix = $1',
    [prefix],
  );
  expect(JSON.stringify(rows)).not.toContain(key.slice(prefix.length));
});

it.each(['', 'x', 'pk_', '\0', "' or true --", 'ü'.repeat(10_000)])(
  'an unknown API key belongs to no user: %j',
  async (key) => {
    expect(await fixture.database.apiKeys.authenticate(key)).toBeNull();
  },
);

it('API keys open nothing once revoked, by id or by prefix', async () => {
  const { apiKeys } = fixture.database;
  const [byId, byPrefix, other] = [
    await apiKeys.create('ada', 'a'),
    await apiKeys.create('ada', 'b'),
    await apiKeys.create('ada', 'c'),
  ];
  expect(await apiKeys.revoke(byId.id)).toBe(byId.id);
  expect(await apiKeys.revoke(byPrefix.prefix)).toBe(byPrefix.id);
  expect(await apiKeys.authenticate(byId.key)).toBeNull();
  expect(await apiKeys.authenticate(byPrefix.key)).toBeNull();
  expect(await apiKeys.authenticate(other.key)).not.toBeNull();
  expect(await apiKeys.revoke(byId.id)).toBeNull();
  expect(await apiKeys.revoke('pk_nothing')).toBeNull();
});

it('API keys get a new secret and stay what they are', async () => {
  const { apiKeys } = fixture.database;
  const created = await apiKeys.create('ada', 'laptop');
  const rotated = (await apiKeys.rotate(created.id, 'ada'))!;
  expect(rotated).toEqual({ ...created, key: expect.any(String), prefix: rotated.key.slice(0, 13) });
  expect(rotated.key).not.toBe(created.key);
  expect(await apiKeys.authenticate(created.key)).toBeNull();
  expect(await apiKeys.authenticate(rotated.key)).toMatchObject({ keyId: created.id });
});

it('API keys are rotated and revoked by their own user only, and not once revoked', async () => {
  const { users, apiKeys } = fixture.database;
  const name = newName();
  await users.add(name, { isAdmin: true });
  const { id, key } = await apiKeys.create('ada', 'x');
  expect(await apiKeys.rotate(id, name)).toBeNull();
  expect(await apiKeys.revoke(id, name)).toBeNull();
  expect(await apiKeys.authenticate(key)).not.toBeNull();
  expect(await apiKeys.revoke(id, 'ada')).toBe(id);
  expect(await apiKeys.rotate(id, 'ada')).toBeNull();
});

it('API keys are listed without their secret, the revoked ones too', async () => {
  const { users, apiKeys } = fixture.database;
  const name = newName();
  await users.add(name, { isAdmin: false });
  const [first, second] = [await apiKeys.create(name, 'one'), await apiKeys.create(name, 'two')];
  await apiKeys.revoke(first.id);
  const fields = {
    ...{ createdAt: expect.any(Date), lastUsedAt: null },
    ...{ scope: 'everything', expiresAt: null },
  };
  expect(await apiKeys.list(name)).toEqual([
    { ...fields, id: first.id, name: 'one', prefix: first.prefix, revokedAt: expect.any(Date) },
    { ...fields, id: second.id, name: 'two', prefix: second.prefix, revokedAt: null },
  ]);
});

it('API keys note their last use, at most once a minute', async () => {
  const { apiKeys } = fixture.database;
  const { id, key } = await apiKeys.create('ada', 'x');
  const lastUse = async () => {
    await apiKeys.onModuleDestroy();
    const { rows } = await fixture.client.query<{ at: Date | null }>(
      'select last_used_at as at from api_keys where key_id = $1',
      [id],
    );
    return rows[0]!.at;
  };
  const age = (seconds: number) =>
    fixture.client.query(`update api_keys set last_used_at = now() - $2 * interval '1 s' where key_id = $1`, [
      id,
      seconds,
    ]);
  expect(await lastUse()).toBeNull();
  await Promise.all([apiKeys.authenticate(key), apiKeys.authenticate(key)]);
  expect(await lastUse()).not.toBeNull();
  await age(50);
  const recent = await lastUse();
  await apiKeys.authenticate(key);
  expect(await lastUse()).toEqual(recent);
  await age(70);
  const old = await lastUse();
  await apiKeys.authenticate(key);
  expect((await lastUse())!.getTime()).toBeGreaterThan(old!.getTime() + 60_000);
});

it('API keys are answered without waiting for the note', async () => {
  const { apiKeys } = fixture.database;
  const { id, key } = await apiKeys.create('ada', 'x');
  await fixture.client.query('begin');
  await fixture.client.query('select 1 from api_keys where key_id = $1 for update', [id]);
  expect(await apiKeys.authenticate(key)).not.toBeNull();
  await fixture.client.query('commit');
  await apiKeys.onModuleDestroy();
});

it('the old secret of an imported API key opens nothing once it was rotated, even during its first use', async () => {
  const { apiKeys, imports } = fixture.database;
  const key = randomUUID();
  const sha1 = createHash('sha1').update(key).digest('hex');
  const ada = { userId: fixture.submitter.userId, name: 'imported', createdAt: new Date() };
  const keyId = await imports.addKey('debci', { ...ada, foreignId: key, sha1 });
  await fixture.client.query('begin');
  await fixture.client.query(`update api_keys set key_hash = 'rotated' where key_id = $1`, [keyId]);
  const used = apiKeys.authenticate(key);
  await lockAwaited(fixture.url, 'set key_hash');
  await fixture.client.query('commit');
  await used;
  expect(await apiKeys.authenticate(key)).toBeNull();
  await apiKeys.onModuleDestroy();
});

it('notes that a user adds at once are as many as the user may have', async () => {
  const note = {
    ...{
      subject: 'package' as const,
      package: 'hello',
      suite: null,
      arch: null,
      runId: null,
      wasPrivate: false,
    },
    ...{ signature: null, failingTests: [], text: 'It fails.', bugs: [] },
  };
  const by = { userId: fixture.submitter.userId, userName: 'ada' };
  const added = await Promise.all(Array.from({ length: 8 }, () => fixture.database.notes.add(note, by, 2)));
  expect(added.filter((noteId) => noteId !== null)).toHaveLength(2);
});

it('ids that are reserved beside requests are never given twice', async () => {
  const { imports } = fixture.database;
  const ids = await imports.nextIds(1);
  for (let round = 0; round < 100; round += 1) {
    const [one, other] = await Promise.all([
      imports.nextIds(40),
      imports.nextIds(40),
      imports.reserveIds(ids.at(-1)! + 60),
    ]);
    ids.push(...one, ...other);
    ids.sort((a, b) => a - b);
  }
  expect(new Set(ids).size).toBe(ids.length);
  for (const ahead of [50, 10_000_000]) {
    const upTo = (await imports.nextIds(1))[0]! + ahead;
    await imports.reserveIds(upTo);
    await imports.reserveIds(upTo - 10);
    expect(await imports.nextIds(1)).toEqual([upTo + 1]);
  }
});
