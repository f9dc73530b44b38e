import { startApi } from '@test/support/api';
import type { RunningApi } from '@test/support/api';
import { connectTo } from '@test/support/database';

let api: RunningApi;
let rootKey: string;
/** A finished public run. */
let runId: number;

beforeAll(async () => {
  api = await startApi();
  await api.database.users.setPassword('alice', 'password of alice');
  await api.database.users.add('root', { isAdmin: true });
  ({ key: rootKey } = await api.database.apiKeys.create('root', 'test'));
  runId = await api.submit('hello');
  await api.finish(runId, { files: { 'log.gz': 'a log' } });
});
afterAll(() => api.stop());

const json = (body: object, method = 'POST'): RequestInit => ({
  method,
  body: JSON.stringify(body),
  headers: { 'Content-Type': 'application/json' },
});

const ALICE = { Authorization: `Basic ${Buffer.from('alice:password of alice').toString('base64')}` };

async function ofKeys<T>(path: string, init: RequestInit): Promise<T> {
  const headers = { ...ALICE, ...(init.headers as Record<string, string>) };
  return (await (await api.fetch(`/api/v1/keys${path}`, { ...init, headers })).json()) as T;
}

interface Made {
  id: number;
  key: string;
  scope: string;
  expires_at: string | null;
}

async function problemOf(response: Response): Promise<[number, string]> {
  return [response.status, ((await response.json()) as { detail: string }).detail];
}

it('answers say until when an API key is valid, and why it no longer is', async () => {
  const newKey = await ofKeys<Made>('', json({ name: 'a year', scope: 'read', expires_at: '2999-01-01' }));
  expect(newKey).toMatchObject({ scope: 'read', expires_at: '2999-01-01T00:00:00.000Z' });
  const checked = await api.api('/auth', {}, newKey.key);
  expect(checked.headers.get('auth-key-expires')).toBe('2999-01-01T00:00:00.000Z');
  expect(await checked.json()).toEqual({
    user: 'alice',
    scope: 'read',
    expires_at: '2999-01-01T00:00:00.000Z',
  });
  expect((await api.api('/auth')).headers.get('auth-key-expires')).toBeNull();

  const client = await connectTo(api.databaseUrl);
  await client.query(`update api_keys set expires_at = '2026-01-02T03:04:05Z' where key_id = $1`, [
    newKey.id,
  ]);
  await client.end();
  const listed = await ofKeys<Made[]>('', {});
  expect(listed).toContainEqual(
    expect.objectContaining({ id: newKey.id, expires_at: '2026-01-02T03:04:05.000Z' }),
  );
  const change = await ofKeys<Made>(`/${newKey.id}`, json({ scope: 'everything' }));
  expect(change).toMatchObject({
    id: newKey.id,
    scope: 'everything',
    expires_at: '2026-01-02T03:04:05.000Z',
  });
  // The change has reached every process.
  const over = 'This API key has expired, at 2026-01-02T03:04:05.000Z: make another one.';
  expect(await problemOf(await api.api('/auth', {}, newKey.key))).toEqual([403, over]);
  await ofKeys(`/${newKey.id}`, json({ expires_at: 'never' }));
  expect((await api.api('/auth', {}, newKey.key)).status).toBe(200);
});

it('an API key does what its scope says, and its refusals say what is missing', async () => {
  const keyOf = async (scope: string): Promise<string> =>
    (await ofKeys<Made>('', json({ name: scope, scope }))).key;
  const [reading, asking] = [await keyOf('read'), await keyOf('submit')];
  const request = json([{ package: 'hello' }]);
  const statuses = async (key: string): Promise<number[]> => {
    const answers = [
      await api.api('/test?since=0', {}, key),
      await api.api(`/test/${runId}`, {}, key),
      await api.api('/test/bookworm/amd64', request, key),
      await api.api(`/retry/${runId}`, { method: 'POST' }, key),
      await api.api('/test/cancel', json({ package: 'hello' }), key),
      await api.api('/test/publish', json({ run_ids: '' }), key),
      await api.api('/nothing', {}, key),
    ];
    return answers.map(({ status }) => status);
  };
  expect(await statuses(reading)).toEqual([200, 200, 403, 403, 403, 403, 404]);
  expect(await statuses(asking)).toEqual([403, 403, 201, 201, 403, 403, 403]);
  expect(await problemOf(await api.api('/test/bookworm/amd64', request, reading))).toEqual([
    403,
    'The scope of this API key is read: this takes a key of the scope submit or everything.',
  ]);
});

it('what everybody may know is read without a key, and nothing else of it by one', async () => {
  const secret = await api.submit('hello', { is_private: true });
  const public_ = (path: string, init: RequestInit = {}) => api.fetch(`/data/v1${path}`, init);
  expect(await (await public_(`/test/${runId}`)).json()).toEqual(
    await (await api.api(`/test/${runId}`)).json(),
  );
  for (const path of [`/test/${secret}`, `/runs/${secret}/log`])
    for (const headers of [{}, { 'Auth-Key': api.keys.alice }])
      expect([path, (await public_(path, { headers })).status]).toEqual([path, 404]);
  for (const path of [
    '/queues',
    '/packages',
    '/workers',
    '/signatures',
    '/triggers',
    '/notes?package=hello',
    `/runs/${runId}/log`,
  ])
    expect([path, (await public_(path)).status]).toEqual([path, 200]);
  const first = await public_('/packages');
  const headers = { 'If-None-Match': first.headers.get('etag')!, 'Cache-Control': 'max-age=0' };
  expect([(await public_('/packages', { headers })).status, first.headers.get('cache-control')]).toEqual([
    304,
    'public, no-cache',
  ]);
  for (const path of ['/auth', '/test?since=0', '/runs', '/reject_list', '/admin/users', '/nothing'])
    expect([path, (await public_(path)).status]).toEqual([path, 404]);
  expect((await public_('/notes', json({ package: 'hello', text: 'x' }))).status).toBe(404);
  expect((await api.fetch('/api/v1/queues')).status).toBe(403);
});

it('pages of other sites may read what is public, without cookies, and are answered before they ask', async () => {
  const origin = { Origin: 'https://tracker.example' };
  for (const path of [
    '/data/v1/queues',
    '/data/feeds/all-packages.xml',
    '/data/status/bookworm/amd64/packages.json',
  ]) {
    const answer = await api.fetch(path, { headers: origin });
    const headers = ['allow-origin', 'allow-credentials'].map((name) =>
      answer.headers.get(`access-control-${name}`),
    );
    expect([path, answer.status, ...headers]).toEqual([path, 200, '*', null]);
    expect(answer.headers.get('access-control-expose-headers')).toContain('ETag');
    const asks = {
      ...origin,
      'Access-Control-Request-Method': 'GET',
      'Access-Control-Request-Headers': 'if-none-match',
    };
    const preflight = await api.fetch(path, { method: 'OPTIONS', headers: asks });
    expect([preflight.status, preflight.headers.get('access-control-allow-methods')]).toEqual([
      204,
      'GET, HEAD',
    ]);
    expect(preflight.headers.get('access-control-allow-headers')).toMatch(/If-None-Match/);
  }
  for (const path of ['/api/v1/queues', '/data/followed/x.xml', '/'])
    expect(
      (await api.fetch(path, { headers: origin })).headers.get('access-control-allow-origin'),
    ).toBeNull();
});

it('a disabled user is out at once, whatever they come with, and a removed one for good', async () => {
  await api.database.users.add('carol', { isAdmin: false });
  const { key } = await api.database.apiKeys.create('carol', 'x');
  const run = await api.submit('dash', {}, key);
  const change = async (what: string): Promise<number> =>
    (await api.api(`/admin/users/carol/${what}`, { method: 'POST' }, rootKey)).status;
  expect((await api.api('/auth', {}, key)).status).toBe(200);
  expect(await change('disable')).toBe(200);
  const refusal = [403, 'The user carol of this API key is disabled.'];
  expect(await problemOf(await api.api('/auth', {}, key))).toEqual(refusal);
  expect(await change('disable')).toBe(409);
  expect(await change('enable')).toBe(200);
  expect((await api.api('/auth', {}, key)).status).toBe(200);
  expect(await change('remove')).toBe(200);
  expect((await api.api('/auth', {}, key)).status).toBe(403);
  expect((await api.api(`/test/${run}`)).status).toBe(200);
  const again = await api.api('/admin/users', json({ name: 'carol' }), rootKey);
  expect(await problemOf(again)).toEqual([
    409,
    expect.stringContaining('is kept for a user who was removed'),
  ]);
  const { entries } = (await (await api.api('/admin/audit?subject=user+carol', {}, rootKey)).json()) as {
    entries: { action: string; user: string }[];
  };
  expect(entries.map(({ action, user }) => `${user} ${action}`)).toEqual([
    'root user-removed',
    'root user-enabled',
    'root user-disabled',
  ]);
});
