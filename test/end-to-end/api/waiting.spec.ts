import { get } from 'node:http';
import type { ClientRequest } from 'node:http';
import { startApi } from '@test/support/api';
import type { RunningApi } from '@test/support/api';
import { peerMsUntil } from '@test/support/peer-clock';
import { until } from '@test/support/until';

/** The api looks for news each second. */
const ANSWERED_MS = 3_000;

let api: RunningApi;
beforeAll(async () => {
  api = await startApi({ server: { waitSecondsMax: 60 } });
});
afterAll(() => api.stop());

interface List {
  until: number;
  results: { run_id: number; status: string | null }[];
}

async function list(query: string, key?: string): Promise<List> {
  const response = await api.api(`/test?${query}`, {}, key);
  const answer = (await response.json()) as List;
  expect([response.status, answer]).toEqual([200, answer]);
  return answer;
}

/** From where on there is nothing yet. */
async function idle(key?: string): Promise<number> {
  let since = 0;
  await until(async () => {
    const next = await list(`since=${since}`, key);
    since = next.until;
    return next.results.length === 0;
  });
  return since;
}

/** Resolves once a request with this key of bob is in the api. */
async function keyUsed({ database }: RunningApi, keyId: number): Promise<void> {
  const isUsed = async () =>
    (await database.apiKeys.list('bob')).some(({ id, lastUsedAt }) => id === keyId && lastUsedAt !== null);
  expect(await until(isUsed)).toBe(true);
}

it.each<[string, (runId: number) => Promise<unknown>, string | null]>([
  ['finishes', (runId) => api.finish(runId), 'pass'],
  ['is published', (runId) => api.api(`/test/publish?run_ids=${runId}`, { method: 'POST' }), null],
  ['is cancelled', (runId) => api.api(`/test/${runId}`, { method: 'DELETE' }), 'tmpfail'],
])('a client that waits is answered when a run %s', async (_how, change, status) => {
  const runId = await api.submit('hello', { is_private: true });
  const since = await idle();
  const answered = list(`since=${since}&wait=60`);
  await change(runId);
  expect(await peerMsUntil(answered, () => api.database.users.find('bob'))).toBeLessThan(ANSWERED_MS);
  expect((await answered).results).toEqual([expect.objectContaining({ status })]);
});

it('a client that waits gets an empty list when the time is over, and is not woken by others', async () => {
  const since = await idle(api.keys.bob);
  const started = performance.now();
  const [answer] = await Promise.all([list(`since=${since}&wait=2`, api.keys.bob), api.submit('hello')]);
  expect(answer).toMatchObject({ until: since, results: [] });
  expect(performance.now() - started).toBeGreaterThan(1_900);
});

it('a client whose key is revoked while it waits gets nothing', async () => {
  const { key, id } = await api.database.apiKeys.create('bob', 'waits');
  const waiting = api.api('/test?since=0&wait=15', {}, key);
  await keyUsed(api, id);
  await api.database.apiKeys.revoke(id);
  expect((await waiting).status).toBe(403);
});

it('a client that waits holds no connection of the database, and leaves nothing behind when it goes away', async () => {
  const since = await idle(api.keys.bob);
  const requests: ClientRequest[] = [];
  const broken = Array.from(
    { length: 100 },
    () =>
      new Promise((resolve) => {
        const headers = { 'Auth-Key': api.keys.bob };
        const request = get(`${api.url}/api/v1/test?since=${since}&wait=20`, { headers, agent: false });
        request.once('error', resolve);
        requests.push(request);
      }),
  );
  await until(async () => (await list(`since=${since}&wait=1`, api.keys.bob)).results.length === 0);
  for (const request of requests) request.destroy();
  await Promise.all(broken);
  expect((await api.api('/auth')).status).toBe(200);
});

it('a client that waits is answered when the service ends', async () => {
  const other = await startApi();
  try {
    const { key, id } = await other.database.apiKeys.create('bob', 'waits');
    const waiting = other.api('/test?since=4000000000&wait=60', {}, key);
    await keyUsed(other, id);
    await other.stop();
    expect(await (await waiting).json()).toEqual({ until: 4_000_000_000, results: [] });
  } finally {
    await other.stop();
  }
});
