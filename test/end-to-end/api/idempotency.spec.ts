import { startApi } from '../../support/api';
import type { RunningApi } from '../../support/api';

let api: RunningApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

const LIST = '/test/bookworm/amd64';
const PART = { suite: 'bookworm', arch: ['amd64', 'arm64'], tests: [{ package: 'hello' }] };

async function count(key?: string): Promise<number> {
  const { results } = (await (await api.api('/test?since=0', {}, key)).json()) as { results: unknown[] };
  return results.length;
}

function form(boundaryHint: string): FormData {
  const data = new FormData();
  data.set('tests', new Blob(['[{"package":"hello"},{"package":"blocked"}]']), `${boundaryHint}.json`);
  return data;
}

async function sent(
  path: string,
  word: string,
  init: RequestInit = {},
  key?: string,
): Promise<[number, unknown]> {
  const headers = { 'Idempotency-Key': word, ...init.headers };
  const response = await api.api(path, { method: 'POST', ...init, headers }, key);
  return [response.status, await response.json()];
}

const json = (body: unknown): RequestInit => ({
  body: JSON.stringify(body),
  headers: { 'Content-Type': 'application/json' },
});

describe('a request that is sent again', () => {
  it.each<[string, string, () => RequestInit, number]>([
    ['a list', LIST, () => json([{ package: 'hello' }, { package: 'Bad' }]), 1],
    ['a file', LIST, () => ({ body: form(String(Math.random())) }), 1],
    ['a single package', `${LIST}/hello?priority=3`, () => ({}), 1],
    ['a batch', '/test/batch', () => json([PART]), 2],
    ['a list of which nothing was accepted', LIST, () => json([{ package: 'blocked' }]), 0],
  ])('as %s creates nothing twice', async (what, path, init, created) => {
    const before = await count();
    const [status, answer] = await sent(path, what, init());
    expect(status).toBe(201);
    expect(await count()).toBe(before + created);
    expect(await sent(path, what, init())).toEqual([201, answer]);
    expect(
      await sent(`/${path}/`.replace('/?', '?').replace('?priority=3/', '/?priority=3'), what, init()),
    ).toEqual([201, answer]);
    expect(await count()).toBe(before + created);
  });

  it('as a retry creates nothing twice', async () => {
    const runId = await api.submit('hello');
    expect((await sent(`/retry/${runId}`, 'retry-1'))[0]).toBe(409);
    await api.finish(runId);
    const [status, answer] = await sent(`/retry/${runId}`, 'retry-1');
    expect(status).toBe(201);
    expect(await sent(`/retry/${runId}`, 'retry-1')).toEqual([201, answer]);
    expect((await sent(`/retry/${runId}`, 'retry-2'))[0]).toBe(409);
  });

  it('at the same time creates nothing twice', async () => {
    const before = await count(api.keys.bob);
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => sent(LIST, 'at-once', json([{ package: 'hello' }]), api.keys.bob)),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]![0]).toBe(201);
    expect(await count(api.keys.bob)).toBe(before + 1);
  });

  it('with other parameters is refused', async () => {
    await sent(LIST, 'other', json([{ package: 'hello' }]));
    const before = await count();
    const others: [string, RequestInit][] = [
      [LIST, json([{ package: 'dash' }])],
      [`${LIST}?priority=3`, json([{ package: 'hello' }])],
      ['/test/bookworm/arm64', json([{ package: 'hello' }])],
      ['/test/batch', json([PART])],
    ];
    for (const [path, init] of others) {
      expect(await sent(path, 'other', init)).toEqual([409, expect.objectContaining({ status: 409 })]);
    }
    expect(await count()).toBe(before);
  });

  it('by another key is another request', async () => {
    const mine = await sent(LIST, 'mine', json([{ package: 'hello' }]));
    const yours = await sent(LIST, 'mine', json([{ package: 'hello' }]), api.keys.bob);
    expect(yours[0]).toBe(201);
    expect(yours).not.toEqual(mine);
  });

  it('after a refusal is a new one', async () => {
    expect((await sent(LIST, 'refused', json([{ package: 5 }])))[0]).toBe(400);
    expect((await sent(LIST, 'refused', json([{ package: 'hello' }])))[0]).toBe(201);
  });
});

it.each(['', 'x'.repeat(256), 'é'])('refuses the word %j', async (word) => {
  const before = await count();
  const [status, problem] = await sent(LIST, word, json([{ package: 'hello' }]));
  expect([status, problem]).toEqual([
    400,
    expect.objectContaining({ detail: expect.stringContaining('Idempotency-Key') }),
  ]);
  expect(await count()).toBe(before);
});
