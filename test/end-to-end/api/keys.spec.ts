import { startApi } from '@test/support/api';
import type { RunningApi } from '@test/support/api';

let api: RunningApi;
beforeAll(async () => {
  api = await startApi({ server: { passwordGuessesPerHourMax: 5 } });
  await api.database.users.setPassword('alice', 'sécret: of alice');
  await api.database.users.setPassword('bob', 'bobs');
  await api.database.users.add('mallory', { isAdmin: false, password: 'right' });
});
afterAll(() => api.stop());

interface Key {
  id: number;
  name: string;
  key: string;
  prefix: string;
  created_at: string;
  last_used_at: string | null;
}

const ALICE = 'alice:sécret: of alice';
const BOB = 'bob:bobs';

function keys(path: string, credentials: string | null, init: RequestInit = {}): Promise<Response> {
  const basic =
    credentials === null ? {} : { Authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
  return api.fetch(`/api/v1/keys${path}`, { ...init, headers: { ...basic, ...init.headers } });
}

function post(
  path: string,
  credentials: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<Response> {
  const init = {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'Content-Type': 'application/json', ...headers },
  };
  return keys(path, credentials, init);
}

async function make(name: string, headers: Record<string, string> = {}): Promise<Key> {
  const response = await post('', ALICE, { name }, headers);
  expect([response.status, response.headers.get('cache-control')]).toEqual([201, 'no-store']);
  return (await response.json()) as Key;
}

const statusOf = async (key: string): Promise<number> => (await api.api('/auth', {}, key)).status;

it('API keys are made, used, listed and revoked', async () => {
  const newKey = await make('laptop');
  expect(newKey).toEqual({
    id: expect.any(Number),
    name: 'laptop',
    key: expect.stringMatching(/^pk_[0-9a-f]{56}$/),
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    ...{ scope: 'everything', expires_at: null },
  });
  const response = await api.api('/auth', {}, newKey.key);
  expect([response.status, response.headers.get('auth-user')]).toEqual([200, 'alice']);

  const listed = await keys('', ALICE);
  expect(listed.headers.get('auth-user')).toBe('alice');
  const list = (await listed.json()) as Key[];
  const { id, name, created_at } = newKey;
  expect(list).toContainEqual({
    id,
    name,
    created_at,
    prefix: newKey.key.slice(0, 13),
    last_used_at: expect.anything(),
    ...{ scope: 'everything', expires_at: null },
  });
  expect(JSON.stringify(list)).not.toContain(newKey.key.slice(13));
  expect(list).toHaveLength(3);

  const revoked = await keys(`/${newKey.id}`, ALICE, { method: 'DELETE' });
  expect([revoked.status, await revoked.text()]).toEqual([204, '']);
  expect(await statusOf(newKey.key)).toBe(403);
  expect(await (await keys('', ALICE)).json()).toHaveLength(2);
  expect((await keys(`/${newKey.id}`, ALICE, { method: 'DELETE' })).status).toBe(404);
});

it('API keys of others are not there', async () => {
  const { id, key } = await make('of alice');
  for (const [path, method] of [
    [`/${id}`, 'DELETE'],
    [`/${id}/rotate`, 'POST'],
    ['/0', 'DELETE'],
    ['/99999999999', 'DELETE'],
    ['/pk_0123456789', 'DELETE'],
    [`/${id}%00`, 'DELETE'],
    ['/x/rotate', 'POST'],
  ] as const) {
    expect([path, (await keys(path, BOB, { method })).status]).toEqual([path, 404]);
  }
  expect(await statusOf(key)).toBe(200);
});

it('API keys are made once for a request that is sent again', async () => {
  const header = { 'Idempotency-Key': 'make-one' };
  const newKey = await make('once', header);
  expect(await make('once', header)).toEqual(newKey);
  expect(await statusOf(newKey.key)).toBe(200);
  expect((await post('', ALICE, { name: 'another' }, header)).status).toBe(409);
  const list = (await (await keys('', ALICE)).json()) as Key[];
  expect(list.filter(({ name }) => name === 'once')).toHaveLength(1);
  const ofBob = (await (await post('', BOB, { name: 'once' }, header)).json()) as Key;
  expect(ofBob.id).not.toBe(newKey.id);
});

it('API keys are made once for equal requests at the same time', async () => {
  const header = { 'Idempotency-Key': 'at-once' };
  const newKeys = await Promise.all([1, 2, 3].map(() => make('at once', header)));
  expect(new Set(newKeys.map(({ key }) => key)).size).toBe(1);
});

it('API keys do not lie about in the database', async () => {
  const { key } = await make('hidden', { 'Idempotency-Key': 'hidden' });
  const { connectTo } = await import('@test/support/database');
  const client = await connectTo(api.databaseUrl);
  const { rows } = await client.query(
    'select answer::text from idempotency_keys union select key_hash from api_keys',
  );
  await client.end();
  expect(rows.length).toBeGreaterThan(1);
  expect(JSON.stringify(rows)).not.toContain(key.slice(13));
});

it('the password is asked for, whatever else the request shows', async () => {
  for (const [path, method] of [
    ['', 'GET'],
    ['/', 'POST'],
    ['/1', 'DELETE'],
    ['/1/rotate', 'POST'],
    ['/no/such/thing', 'GET'],
  ] as const) {
    const response = await keys(path, null, { method, headers: { 'Auth-Key': api.keys.alice } });
    expect([path, response.status]).toEqual([path, 401]);
    expect(response.headers.get('www-authenticate')).toMatch(/^Basic realm=/);
    expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(response.headers.get('auth-user')).toBeNull();
  }
});

it('the password opens nothing but the keys', async () => {
  const headers = { Authorization: `Basic ${Buffer.from(ALICE).toString('base64')}` };
  expect((await api.fetch('/api/v1/auth', { headers })).status).toBe(403);
  expect((await keys('', ALICE, { method: 'PUT' })).status).toBe(405);
  const unknown = await keys('/no/such/thing', ALICE);
  expect([unknown.status, unknown.headers.get('auth-user')]).toEqual([404, 'alice']);
});

it('a wrong password and an unknown user have the same answer', async () => {
  const answers = await Promise.all(
    ['bob:wrong', 'ghost:wrong', "bob' or 1=1:x"].map(async (credentials) => {
      const response = await keys('', credentials);
      return [response.status, await response.text()];
    }),
  );
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  expect(answers[0]![0]).toBe(401);
});

it('the password cannot be guessed for long', async () => {
  const statuses: number[] = [];
  for (let guess = 0; guess < 6; guess += 1) statuses.push((await keys('', 'mallory:wrong')).status);
  expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
  const refusal = await keys('', 'mallory:right');
  expect(refusal.status).toBe(429);
  expect(Number(refusal.headers.get('retry-after'))).toBeGreaterThan(3_000);
  expect((await keys('', BOB)).status).toBe(200);
});
