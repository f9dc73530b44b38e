import { packagePrefix, subjectOf, SUBJECTS } from '@proctor/contracts';
import { startApi } from '@test/support/api';
import type { RunningApi } from '@test/support/api';

/** Known from a private run only. */
const SECRET = 'top-secret';
/** An unknown name. */
const UNKNOWN = 'not-known1';
const SECRET_TEXT = 'words that only private runs hold';

let api: RunningApi;
let admin: string;
/** Runs of alice's first key: private ones, and a public one. */
let hidden: number[];
let open: number;
beforeAll(async () => {
  api = await startApi();
  await api.database.users.add('root', { isAdmin: true });
  admin = (await api.database.apiKeys.create('root', 'test')).key;
  const secret = { is_private: true, trigger: SECRET_TEXT };
  hidden = [await api.submit(SECRET, secret), await api.submit('hello', secret)];
  open = await api.submit('hello');
});
afterAll(() => api.stop());

type Json = Record<string, unknown>;

function send(path: string, body: Json, key: string): Promise<Response> {
  const headers = { 'Content-Type': 'application/json' };
  return api.api(path, { method: 'POST', body: JSON.stringify(body), headers }, key);
}
const get = (path: string, key: string): Promise<Response> => api.api(path, {}, key);
const strangers = () => [api.keys.bob, api.keys.aliceSecond];

describe.each(['cancel', 'priority'])('/test/%s', (path) => {
  const priority = path === 'priority' ? { priority: 1 } : {};

  it.each<[string, Json, Json]>([
    ['ids', {}, { run_ids: [4_711_000] }],
    ['package', { package: SECRET }, { package: UNKNOWN }],
    ['package of public runs too', { package: 'hello' }, { package: UNKNOWN }],
    ['trigger', { trigger: SECRET_TEXT }, { trigger: 'unknown words' }],
    ['suite', { suite: 'bookworm' }, { suite: 'sid' }],
    ['architecture', { arch: 'amd64' }, { arch: 'm68k' }],
  ])(
    'a request by another key neither touches, counts nor names the runs that it selects by %s',
    async (what, filter, unknown) => {
      const selection = what === 'ids' ? { run_ids: [...hidden, open] } : filter;
      for (const key of strangers()) {
        const [answersForHidden, nothing] = await Promise.all(
          [selection, unknown].map(async (each) => {
            const response = await send(`/test/${path}`, { ...each, ...priority }, key);
            return [response.status, await response.text()];
          }),
        );
        expect(answersForHidden).toEqual(nothing);
        expect(answersForHidden![0]).toBe(200);
        expect(answersForHidden![1]).toMatch(/^\{"\w+":\[\]\}$/);
      }
      for (const runId of [...hidden, open]) {
        const run = (await (await get(`/test/${runId}`, api.keys.alice)).json()) as Json;
        expect(run).toMatchObject({ status: null, priority: 5, facts: [{ kind: 'requested' }] });
      }
    },
  );

  it("a request by another key is refused for everyone's runs in the same words whether there are some or not", async () => {
    for (const key of strangers()) {
      const answers = [SECRET, UNKNOWN].map(async (name) => {
        const response = await send(`/test/${path}`, { package: name, everyone: true, ...priority }, key);
        return [response.status, await response.text()];
      });
      const [answersForHidden, nothing] = await Promise.all(answers);
      expect(answersForHidden).toEqual(nothing);
      expect(answersForHidden![0]).toBe(403);
    }
  });
});

it('its key and administrators see all of a private run: story, place and reasons', async () => {
  const end = api.bus.subscribe(subjectOf(SUBJECTS.explain, 'amd64'), ({ text, respond }) => {
    const { runId } = JSON.parse(text) as { runId: number };
    const reply = { position: 1, ahead: 0, startsInMs: 0, reasons: [SECRET_TEXT] };
    respond?.(JSON.stringify({ arch: 'amd64', epoch: 1, runId, ...reply }));
  });
  const [runId] = hidden as [number];
  for (const key of [api.keys.alice, admin])
    expect(await (await get(`/test/${runId}`, key)).json()).toMatchObject({
      position: 1,
      facts: [{ kind: 'requested', actor: 'user alice' }],
    });
  for (const key of strangers()) {
    const response = await get(`/test/${runId}`, key);
    expect(response.status).toBe(404);
    expect(await response.text()).not.toMatch(/facts|position|alice|words/);
  }
  const page = `/packages/${packagePrefix(SECRET)}/${SECRET}/bookworm/amd64/${runId}/`;
  expect((await api.fetch(page)).status).toBe(404);
  end();
});

it('nothing of a private run is in a decision, a worker, a queue or the story of a public run', async () => {
  const reason = 'the mirror is away';
  await send('/admin/pause', { suite: 'bookworm', reason }, admin);
  await send('/admin/drain', { worker: 'worker-1', reason }, admin);
  await send('/test/priority', { suite: 'bookworm', priority: 7, everyone: true, reason }, admin);
  const secrets = new RegExp(`${SECRET}|${SECRET_TEXT}`);
  for (const [path, key] of [
    ['/queues', api.keys.bob],
    ['/workers', api.keys.bob],
    [`/test/${open}`, api.keys.bob],
    ['/admin/decisions', admin],
  ] as const) {
    const response = await get(path, key);
    expect([path, response.status, secrets.exec(await response.text())]).toEqual([path, 200, null]);
  }
  expect(secrets.exec(await (await api.fetch('/')).text())).toBeNull();
  const { facts } = (await (await get(`/test/${open}`, api.keys.bob)).json()) as { facts: Json[] };
  expect(facts).toMatchObject([{ kind: 'requested' }, { kind: 'reprioritised', actor: 'user root' }]);
});
