import { subjectOf, SUBJECTS } from '@proctor/contracts';
import { startApi } from '@test/support/api';
import type { RunningApi } from '@test/support/api';
import { connectTo } from '@test/support/database';
import { until } from '@test/support/until';

let api: RunningApi;
let admin: string;
beforeAll(async () => {
  api = await startApi();
  await api.database.users.add('root', { isAdmin: true });
  admin = (await api.database.apiKeys.create('root', 'test')).key;
});
afterAll(() => api.stop());

type Json = Record<string, unknown>;

const resultOf = async (runId: number): Promise<Json> =>
  (await (await api.api(`/test/${runId}`)).json()) as Json;

it('the service lists the packages that a key may know', async () => {
  await api.submit('only-alice', { is_private: true });
  await api.submit('hello');
  await api.submit('zsh', {}, api.keys.bob);
  const client = await connectTo(api.databaseUrl);
  await client.query(`update packages set backend = 'qemu' where name = 'zsh'`);
  await client.end();
  const list = async (query: string, key?: string): Promise<Json[]> => {
    const response = await api.api(`/packages${query}`, {}, key);
    expect(response.status).toBe(200);
    return (await response.json()) as Json[];
  };
  const names = async (query: string, key?: string) => (await list(query, key)).map(({ name }) => name);
  expect(await list('?backend=qemu')).toEqual([
    { id: expect.any(Number), name: 'zsh', backend: 'qemu', removed: false },
  ]);
  expect(await names('')).toEqual(expect.arrayContaining(['hello', 'only-alice', 'zsh']));
  expect(await names('', api.keys.bob)).toEqual(expect.arrayContaining(['hello', 'zsh']));
  expect(await names('', api.keys.bob)).not.toContain('only-alice');
  expect(await names('?backend=')).not.toContain('zsh');
  expect(await names('?backend')).toEqual(await names('?backend='));
  expect(await names('?backend=no-such')).toEqual([]);
  expect((await api.api('/packages?backend=a&backend=b')).status).toBe(400);
  expect((await api.api('/packages?backend=%00')).status).toBe(400);
  // The api takes it up within a second.
  const backendOfNext = async () => (await resultOf(await api.submit('zsh')))['backend'];
  expect(await until(async () => (await backendOfNext()) === 'qemu')).toBe(true);
  expect(await resultOf(await api.submit('zsh', { backend: 'unshare' }))).toMatchObject({
    backend: 'unshare',
  });
});

it('the service says how long its queues are', async () => {
  for (const isPrivate of [true, false])
    await api.finish(await api.submit('hello', { is_private: isPrivate }));
  const response = await api.api('/queues');
  const queues = (await response.json()) as Json[];
  expect(queues.map(({ suite, arch }) => `${String(suite)}/${String(arch)}`)).toEqual([
    'bookworm/amd64',
    'bookworm/arm64',
    'trixie/amd64',
    'trixie/arm64',
  ]);
  const [busy] = queues;
  expect(busy).toEqual({
    suite: 'bookworm',
    arch: 'amd64',
    waiting: expect.any(Number),
    running: 0,
    oldest_at: expect.stringMatching(/Z$/),
    rate_per_hour: expect.any(Number),
    wait_seconds: expect.any(Number),
    estimate_seconds: expect.any(Number),
    paused: null,
    reasons: ['no scheduler answers for amd64'],
  });
  expect(busy!.rate_per_hour).toBe(1);
  expect(JSON.stringify(queues)).not.toContain('only-alice');
  expect(response.headers.get('etag')).not.toBeNull();
});

it('only administrators see the private runs in them', async () => {
  const queue = async (key: string): Promise<Json> =>
    ((await (await api.api('/queues', {}, key)).json()) as Json[])[0]!;
  const [own, all] = [await queue(api.keys.alice), await queue(admin)];
  expect(all.rate_per_hour).toBe((own.rate_per_hour as number) + 1);
  expect(all.waiting).toBe((own.waiting as number) + 1);
});

it('the service asks dispatchers as who asks it', async () => {
  const questions: [string, Json][] = [];
  const ends = ([SUBJECTS.explain, SUBJECTS.status] as const).map((pattern) =>
    api.bus.subscribe(subjectOf(pattern, 'amd64'), ({ text, respond }) => {
      questions.push([pattern, JSON.parse(text) as Json]);
      respond?.(JSON.stringify({ arch: 'amd64', epoch: 1, workers: [], queues: [], reasons: [] }));
    }),
  );
  const runId = await api.submit('hello');
  for (const key of [api.keys.alice, api.keys.aliceSecond, api.keys.bob, admin]) {
    await api.api(`/test/${runId}`, {}, key);
  }
  for (const path of ['/queues', '/workers']) {
    for (const key of [api.keys.alice, admin]) await api.api(path, {}, key);
  }
  const byKey = questions.splice(0);
  await api.fetch('/');
  await api.fetch(`/packages/h/hello/bookworm/amd64/${runId}/`);
  ends.forEach((end) => end());
  const everything = { everything: true };
  expect(byKey).toEqual([
    [SUBJECTS.explain, { runId, user: 'alice' }],
    [SUBJECTS.explain, { runId }],
    [SUBJECTS.explain, { runId }],
    [SUBJECTS.explain, { runId, ...everything }],
    [SUBJECTS.status, {}],
    [SUBJECTS.status, everything],
    [SUBJECTS.status, {}],
    [SUBJECTS.status, everything],
  ]);
  // The head of each page asks too, now and then.
  const byStrangers = [
    ...new Map(questions.map((question) => [JSON.stringify(question), question])).values(),
  ];
  expect(byStrangers).toEqual([
    [SUBJECTS.status, {}],
    [SUBJECTS.explain, { runId }],
  ]);
});
