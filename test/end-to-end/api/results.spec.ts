import { get } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { subjectOf, SUBJECTS } from '@proctor/contracts';
import { startApi } from '../../support/api';
import type { RunningApi } from '../../support/api';

let api: RunningApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

interface List {
  until: number;
  results: { run_id: number; package: string; status: string | null; updated_at: string }[];
}

async function list(since: number | string, key?: string): Promise<List> {
  const response = await api.api(`/test?since=${since}`, {}, key);
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    'application/json; charset=utf-8',
  ]);
  return (await response.json()) as List;
}

describe('the list of results', () => {
  it('shows a run while it waits and again when it has finished', async () => {
    const before = await list(0);
    const runId = await api.submit('hello', { trigger: 'x' });
    const waiting = await list(before.until);
    expect(waiting.results).toContainEqual(
      expect.objectContaining({ run_id: runId, status: null, version: null, date: null }),
    );
    await api.finish(runId, { verdict: 'fail', version: '2.10-3' });
    const finished = (await list(waiting.until)).results.find((result) => result.run_id === runId);
    expect(finished).toMatchObject({ status: 'fail', version: '2.10-3', trigger: 'x', duration_seconds: 30 });
    expect(finished!.updated_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it('is of the key alone', async () => {
    const runId = await api.submit('hello');
    const ids = async (key: string) => (await list(0, key)).results.map((result) => result.run_id);
    expect(await ids(api.keys.alice)).toContain(runId);
    expect(await ids(api.keys.aliceSecond)).not.toContain(runId);
    expect(await ids(api.keys.bob)).not.toContain(runId);
  });

  it('is empty when nothing is new', async () => {
    expect(await list(4_000_000_000)).toEqual({ until: 4_000_000_000, results: [] });
  });

  it.each([
    '',
    '?since=',
    '?since=abc',
    '?since=-1',
    '?since=1e9',
    '?since=1&since=2',
    `?since=${'9'.repeat(24)}`,
    '?since=%00',
    '?since[]=1',
    '?SINCE=1',
  ])('refuses %j', async (query) => {
    const response = await api.api(`/test${query}`);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ detail: expect.stringContaining('since') });
  });

  it('is compressed only for those who want it', async () => {
    const encoding = async (accepted: string) =>
      (await api.api('/test?since=0', { headers: { 'Accept-Encoding': accepted } })).headers.get(
        'content-encoding',
      );
    expect(await encoding('gzip')).toBe('gzip');
    expect(await encoding('identity')).toBeNull();
  });

  it('of very many runs keeps to the pace of its reader, who may go away', async () => {
    const items = JSON.stringify(
      Array.from({ length: 3_000 }, () => ({ package: 'hello', trigger: 'x'.repeat(5_000) })),
    );
    const headers = { 'Content-Type': 'application/json' };
    expect(
      (await api.api('/test/bookworm/amd64', { method: 'POST', headers, body: items }, api.keys.bob)).status,
    ).toBe(201);
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      get(`${api.url}/api/v1/test?since=0`, { headers: { 'Auth-Key': api.keys.bob } }, resolve).once(
        'error',
        reject,
      );
    });
    await new Promise((resolve) => response.once('readable', resolve));
    expect(String(response.read(20))).toMatch(/^\{"until":\d+/);
    response.destroy();
    expect((await list(0, api.keys.bob)).results).toHaveLength(3_000);
  });
});

describe('one run', () => {
  it('tells why it waits, in the words of its dispatcher', async () => {
    const runId = await api.submit('hello');
    const unsubscribe = api.bus.subscribe(subjectOf(SUBJECTS.explain, 'amd64'), ({ text, respond }) => {
      const asked = JSON.parse(text) as { runId: number };
      respond?.(
        JSON.stringify({
          arch: 'amd64',
          epoch: 1,
          runId: asked.runId,
          reasons: [`run ${asked.runId} is next`],
        }),
      );
    });
    expect(await (await api.api(`/test/${runId}`)).json()).toMatchObject({
      status: null,
      reasons: [`run ${runId} is next`],
    });
    unsubscribe();
    await api.finish(runId);
    expect(await (await api.api(`/test/${runId}/`)).json()).not.toHaveProperty('reasons');
  });

  it('that is private is there for its own key alone', async () => {
    const [publicId, privateId] = [
      await api.submit('hello'),
      await api.submit('hello', { is_private: true }),
    ];
    const status = async (runId: number, key: string) => (await api.api(`/test/${runId}`, {}, key)).status;
    expect(await status(privateId, api.keys.alice)).toBe(200);
    expect(await status(privateId, api.keys.aliceSecond)).toBe(404);
    expect(await status(privateId, api.keys.bob)).toBe(404);
    expect(await status(publicId, api.keys.bob)).toBe(200);
    const [foreign, unknown] = await Promise.all(
      [privateId, 2_000_000_000].map(async (id) =>
        (await (await api.api(`/test/${id}`, {}, api.keys.bob)).text()).replace(String(id), 'N'),
      ),
    );
    expect(foreign).toBe(unknown);
  });

  it.each(['0', '-1', '2147483648', '9007199254740992', '99999999999999999999', 'abc', '1.5', '1%00', '%20'])(
    '%s does not exist',
    async (id) => {
      expect((await api.api(`/test/${id}`)).status).toBe(404);
    },
  );
});
