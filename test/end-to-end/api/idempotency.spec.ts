import { startApi } from '@test/support/api';
import type { RunningApi } from '@test/support/api';

let api: RunningApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

const LIST = '/test/bookworm/amd64';
const PART = { suite: 'bookworm', arch: ['amd64', 'arm64'], tests: [{ package: 'hello' }] };

async function count(): Promise<number> {
  const { results } = (await (await api.api('/test?since=0')).json()) as { results: unknown[] };
  return results.length;
}

async function answerTo(path: string, word: string, init: RequestInit = {}): Promise<[number, unknown]> {
  const headers = { 'Idempotency-Key': word, ...init.headers };
  const response = await api.api(path, { method: 'POST', ...init, headers });
  return [response.status, await response.json()];
}

const json = (body: unknown): RequestInit => ({
  body: JSON.stringify(body),
  headers: { 'Content-Type': 'application/json' },
});

it.each<[string, string, () => RequestInit, number]>([
  ['of a single package', `${LIST}/hello?priority=3`, () => ({}), 1],
  ['with nothing that was accepted', LIST, () => json([{ package: 'blocked' }]), 0],
])(
  'a request %s that is sent again with other slashes creates nothing twice',
  async (what, path, init, created) => {
    const before = await count();
    const [status, answer] = await answerTo(path, what, init());
    expect(status).toBe(201);
    expect(await count()).toBe(before + created);
    const withSlashes = `/${path}/`.replace('?priority=3/', '/?priority=3');
    expect(await answerTo(withSlashes, what, init())).toEqual([201, answer]);
    expect(await count()).toBe(before + created);
  },
);

it('a request that is sent again to another place is refused', async () => {
  await answerTo(LIST, 'other', json([{ package: 'hello' }]));
  const before = await count();
  const others: [string, RequestInit][] = [
    ['/test/bookworm/arm64', json([{ package: 'hello' }])],
    ['/test/batch', json([PART])],
  ];
  for (const [path, init] of others) {
    expect(await answerTo(path, 'other', init)).toEqual([409, expect.objectContaining({ status: 409 })]);
  }
  expect(await count()).toBe(before);
});

it.each(['', 'x'.repeat(256), 'é'])('the Idempotency-Key %j is refused', async (word) => {
  const before = await count();
  const [status, problem] = await answerTo(LIST, word, json([{ package: 'hello' }]));
  expect([status, problem]).toEqual([
    400,
    expect.objectContaining({ detail: expect.stringContaining('Idempotency-Key') }),
  ]);
  expect(await count()).toBe(before);
});
