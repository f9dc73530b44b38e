import { subjectOf, SUBJECTS } from '@proctor/contracts';
import { startApi } from '@test/support/api';
import type { RunningApi } from '@test/support/api';
import { FOREIGN_CODE } from '@test/support/crawl';
import { runRequest } from '@test/support/run-request';

let api: RunningApi;
let admin: string;
beforeAll(async () => {
  api = await startApi();
  await api.database.users.add('root', { isAdmin: true });
  admin = (await api.database.apiKeys.create('root', 'test')).key;
});
afterAll(() => api.stop());

type Json = Record<string, unknown>;

async function answer(response: Response): Promise<[number, Json]> {
  return [response.status, (await response.json()) as Json];
}

const retry = (runId: number | string, key?: string, headers: Record<string, string> = {}) =>
  api.api(`/retry/${runId}`, { method: 'POST', headers }, key);
const cancel = (runId: number | string, key?: string) => api.api(`/test/${runId}`, { method: 'DELETE' }, key);
const resultOf = async (runId: number, key?: string): Promise<Json> =>
  (await (await api.api(`/test/${runId}`, {}, key)).json()) as Json;

async function finishedRun(name = 'hello', parameters: Json = {}): Promise<number> {
  const runId = await api.submit(name, parameters);
  await api.finish(runId);
  return runId;
}

it('a retry wakes the dispatcher', async () => {
  const runId = await finishedRun();
  const signal = new Promise((resolve) => {
    const unsubscribe = api.bus.subscribe(subjectOf(SUBJECTS.runsSubmitted, 'amd64'), () =>
      resolve(unsubscribe()),
    );
  });
  await retry(runId);
  await signal;
});

it('a retry of a private run is for its key, and for administrators', async () => {
  const runId = await finishedRun('retried-by-key', { is_private: true });
  for (const key of [api.keys.bob, api.keys.aliceSecond]) {
    expect((await retry(runId, key)).status).toBe(404);
    expect((await api.api(`/retry/${runId}`, {}, key)).status).toBe(404);
  }
  const [, { run_id: retryId }] = await answer(await retry(runId));
  expect(await resultOf(retryId as number)).toMatchObject({ is_private: true });
  expect((await api.api(`/test/${String(retryId)}`, {}, api.keys.bob)).status).toBe(404);
  expect(await (await api.api(`/retry/${runId}`, {}, admin)).text()).toContain(
    'One equal run is waiting already.',
  );
  expect(await answer(await retry(runId, admin))).toMatchObject([
    409,
    { detail: `Run ${String(retryId)}, a retry of run ${runId}, has not finished.` },
  ]);
  await api.finish(retryId as number);
  const [status, { run_id: byAdmin }] = await answer(await retry(runId, admin));
  expect(status).toBe(201);
  expect(await resultOf(byAdmin as number)).toMatchObject({ is_private: true, status: null });
});

it('only its key sees a private retry of a run that is public by now', async () => {
  const runId = await finishedRun('retried-in-private', { is_private: true });
  const [, { run_id: hidden }] = await answer(await retry(runId));
  await api.api('/test/publish', { method: 'POST', body: new URLSearchParams({ run_ids: String(runId) }) });
  const pageFor = async (key: string) => (await api.api(`/retry/${runId}`, {}, key)).text();
  expect(await pageFor(api.keys.alice)).toContain('One equal run is waiting already.');
  const page = await pageFor(api.keys.bob);
  expect(page).not.toContain('waits already');
  // The bare number may be a part of the time.
  expect(page).not.toMatch(new RegExp(`[Rr]uns?[ /]${String(hidden)}\\b`));
  const [status, { run_id: open }] = await answer(await retry(runId, api.keys.bob));
  expect(status).toBe(201);
  const [, { detail }] = await answer(await retry(runId, api.keys.aliceSecond));
  expect(detail).toBe(`Run ${String(open)}, a retry of run ${runId}, has not finished.`);
  expect(await answer(await retry(runId))).toMatchObject([
    409,
    { detail: expect.stringContaining(`Run ${String(hidden)}`) },
  ]);
});

it.each(['abc', '1.5', '99999999999', '%00'])('a retry of %s is one of nothing', async (runId) => {
  expect((await retry(runId)).status).toBe(404);
  expect((await api.api(`/retry/${runId}`)).status).toBe(404);
});

it('a retry of what is rejected by now is refused, and its page says why', async () => {
  const { keyId, userId } = (await api.database.apiKeys.authenticate(api.keys.alice))!;
  const request = runRequest({ package: 'blocked' });
  const [runId] = await api.database.submissions.submit([request], { keyId, userId });
  await api.finish(runId!);
  expect(await answer(await retry(runId!))).toMatchObject([
    403,
    { detail: expect.stringContaining('reject list') },
  ]);
  expect(await (await api.api(`/retry/${runId}`)).text()).toContain('blocked is on the reject list');
});

it('a retry has a page for people', async () => {
  const runId = await finishedRun('dash', { trigger: '<b>x</b>' });
  await api.submit('dash');
  await api.submit('dash', { is_private: true });
  await api.submit('dash', { is_private: true }, api.keys.bob);
  const response = await api.api(`/retry/${runId}`);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  const page = await response.text();
  expect(page).toContain(`action="/api/v1/retry/${runId}"`);
  expect(page).toContain('2 equal runs are waiting');
  expect(page).not.toContain('<b>x');
  expect(page).not.toMatch(FOREIGN_CODE);
  const unfinished = await api.submit('dash');
  expect(await (await api.api(`/retry/${unfinished}`)).text()).not.toContain('<form method="post"');
  expect((await api.fetch(`/api/v1/retry/${runId}`)).status).toBe(403);
  const head = await api.api(`/retry/${runId}`, { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
});

it('a cancellation ends a run at once', async () => {
  const runId = await api.submit('hello');
  const signal = new Promise((resolve) => {
    const unsubscribe = api.bus.subscribe(subjectOf(SUBJECTS.ordersWaiting, 'amd64'), () =>
      resolve(unsubscribe()),
    );
  });
  const [status, result] = await answer(await cancel(runId));
  expect([status, result]).toEqual([
    200,
    expect.objectContaining({
      run_id: runId,
      status: 'tmpfail',
      message: 'cancelled by alice',
      version: 'n/a',
    }),
  ]);
  expect(await resultOf(runId)).toMatchObject({ status: 'tmpfail', state: 'finished' });
  await signal;
  expect(await answer(await cancel(runId))).toMatchObject([
    409,
    { detail: expect.stringContaining('has finished') },
  ]);
});

it('a cancellation is for the own key, and for administrators', async () => {
  const [publicId, privateId] = [await api.submit('hello'), await api.submit('hello', { is_private: true })];
  for (const key of [api.keys.bob, api.keys.aliceSecond]) {
    expect((await cancel(publicId, key)).status).toBe(403);
    expect((await cancel(privateId, key)).status).toBe(404);
  }
  expect(await resultOf(publicId)).toMatchObject({ status: null });
  expect(await answer(await cancel(privateId, admin))).toMatchObject([200, { message: 'cancelled by root' }]);
  expect((await cancel(publicId, admin)).status).toBe(200);
});

it.each(['abc', '2147483648', '9007199254740992'])(
  'a cancellation of %s is one of nothing',
  async (runId) => {
    expect((await cancel(runId)).status).toBe(404);
  },
);

it('a refused cancellation leaves a finished run as it is', async () => {
  const runId = await finishedRun();
  expect((await cancel(runId)).status).toBe(409);
  expect(await resultOf(runId)).toMatchObject({ status: 'pass' });
});

describe('a publication', () => {
  const publish = (body: string, type = 'application/x-www-form-urlencoded', key?: string) =>
    api.api('/test/publish', { method: 'POST', body, headers: { 'Content-Type': type } }, key);

  it('a publication makes own private runs public, and counts as an update', async () => {
    const own = [
      await finishedRun('secret', { is_private: true }),
      await api.submit('secret', { is_private: true }),
    ];
    const foreign = await api.submit('secret', { is_private: true }, api.keys.bob);
    const before = (await resultOf(own[0]!)).updated_at as string;
    const ids = [...own, foreign, own[0], 4_711_000, 0, -3];
    expect(await answer(await publish(`run_ids=${ids.join(',')}`))).toEqual([
      200,
      { published: own, ignored: [foreign, 4_711_000, 0, -3] },
    ]);
    const after = await resultOf(own[0]!, api.keys.bob);
    expect(after).toMatchObject({ is_private: false });
    expect(Date.parse(after.updated_at as string)).toBeGreaterThan(Date.parse(before));
    expect((await api.api(`/test/${foreign}`)).status).toBe(404);
    expect(await answer(await publish(`run_ids=${own[0]}`))).toEqual([
      200,
      { published: [], ignored: [own[0]] },
    ]);
  });

  it('a publication wakes the dispatchers, which name the run from then on', async () => {
    const runId = await api.submit('secret', { is_private: true });
    const signal = new Promise((resolve) => {
      const unsubscribe = api.bus.subscribe(subjectOf(SUBJECTS.ordersWaiting, 'amd64'), () =>
        resolve(unsubscribe()),
      );
    });
    await publish(`run_ids=${runId}`);
    await signal;
    expect(await api.database.journal.orders('amd64', 1_000)).toContainEqual(
      expect.objectContaining({ kind: 'publish', runId }),
    );
  });

  it('a publication of nothing is none', async () => {
    expect(await answer(await publish('run_ids='))).toEqual([200, { published: [], ignored: [] }]);
    expect(await answer(await publish('{"run_ids":""}', 'application/json'))).toMatchObject([200, {}]);
    const inQuery = await api.api('/test/publish?run_ids=', { method: 'POST' });
    expect(inQuery.status).toBe(200);
  });

  it.each([['{"run_ids":[1]}'], ['{"run_ids":1}'], ['[1]']])(
    'a publication of %j is refused',
    async (body) => {
      expect((await publish(body, 'application/json')).status).toBe(400);
    },
  );

  it('publish and batch are no ids of runs', async () => {
    for (const path of ['/test/publish', '/test/batch']) {
      for (const method of ['GET', 'DELETE', 'PUT']) {
        const response = await api.api(path, { method });
        expect([path, method, response.status, response.headers.get('allow')]).toEqual([
          path,
          method,
          405,
          'POST',
        ]);
      }
      expect((await api.fetch(`/api/v1${path}`)).status).toBe(403);
    }
  });
});
