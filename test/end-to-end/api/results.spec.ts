import { get } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { subjectOf, SUBJECTS } from '@proctor/contracts';
import { startApi } from '@test/support/api';
import type { RunningApi } from '@test/support/api';

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

it.each(['?since=1e9', `?since=${'9'.repeat(24)}`, '?since=%00', '?since[]=1', '?SINCE=1'])(
  'the query %j of a list of results is refused',
  async (query) => {
    const response = await api.api(`/test${query}`);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ detail: expect.stringContaining('since') });
  },
);

it('the list of very many runs keeps to the pace of its reader, who may go away', async () => {
  const items = JSON.stringify(
    Array.from({ length: 300 }, () => ({ package: 'hello', trigger: 'x'.repeat(5_000) })),
  );
  const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: items };
  // In ten parts: on a slow machine the database would not store all within the time of one request.
  for (let part = 0; part < 10; part += 1)
    expect((await api.api('/test/bookworm/amd64', init, api.keys.bob)).status).toBe(201);
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

it('a run says why it waits, in the words of its dispatcher', async () => {
  const runId = await api.submit('hello');
  const unsubscribe = api.bus.subscribe(subjectOf(SUBJECTS.explain, 'amd64'), ({ text, respond }) => {
    const message = JSON.parse(text) as { runId: number };
    respond?.(
      JSON.stringify({
        arch: 'amd64',
        epoch: 1,
        runId: message.runId,
        reasons: [`run ${message.runId} is next`],
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

it.each(['-1', '2147483648', '9007199254740992', 'abc', '1.5', '1%00', '%20'])(
  'a run of the id %s does not exist',
  async (id) => {
    expect((await api.api(`/test/${id}`)).status).toBe(404);
  },
);
