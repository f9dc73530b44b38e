import { SUBJECTS } from '@proctor/contracts';
import { startApi, type RunningApi } from '@test/support/api';
import { EventClient } from '@test/support/event-client';
import { PATIENCE_MS } from '@test/support/until';

let api: RunningApi;
beforeAll(async () => {
  api = await startApi({
    server: {
      events: {
        connectionsMax: 100,
        connectionsPerKeyMax: 4,
        connectionsPerAddressMax: 100,
        replayHours: 24,
        waitingBytesMax: 1_000_000,
        waitingBytesTotalMax: 100_000_000,
      },
    },
  });
});
afterAll(() => api.stop());

const clients: EventClient[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});

async function follow(query = '', lastEventId?: string, key = api.keys.alice): Promise<EventClient> {
  const client = new EventClient((init) => api.api(`/events${query}`, init, key), lastEventId);
  clients.push(client);
  await client.open();
  return client;
}

/** An event may come again: the id of its data identifies it. */
const kindsOf = (client: EventClient, runId: number) => {
  const ofRun = client.events.filter(({ data }) => data.run_id === runId);
  return [...new Map(ofRun.map(({ data, event }) => [data.id, event])).values()];
};

it('a client gets what happens to a run, in its order, with what it needs to look the run up', async () => {
  const client = await follow();
  const runId = await api.submit('hello', { trigger: 'glibc/2.40-4' });
  await api.finish(runId, { verdict: 'neutral' });
  api.bus.signal(SUBJECTS.resultsChanged, {});
  const { data, id } = await client.until(({ event }) => event === 'finished');
  expect(kindsOf(client, runId)).toEqual(['requested', 'granted', 'started', 'finished']);
  expect(data).toEqual({
    ...{ schema: 1, id: `${runId}.4`, kind: 'finished', run_id: runId, attempt: 1 },
    ...{ package: 'hello', suite: 'bookworm', arch: 'amd64', trigger: 'glibc/2.40-4' },
    ...{ state: 'finished', status: 'pass', verdict: 'neutral', is_private: false },
    ...{ at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/), created_at: expect.stringMatching(/Z$/) },
    ...{ url: `/api/v1/test/${runId}`, page_url: `/runs/${runId}` },
  });
  expect(id).toMatch(new RegExp(`^\\d{10}\\.${runId}\\.4$`));
});

it('a client that comes again gets what it has missed, and goes on with what comes', async () => {
  const first = await follow('?package=again');
  const before = await api.submit('again');
  const { id } = await first.until(({ data }) => data.run_id === before);
  await first.close();
  const missed = await api.submit('again');
  await api.finish(missed);
  const second = await follow('?package=again', id);
  await second.until(({ data, event }) => data.run_id === missed && event === 'finished');
  const live = await api.submit('again');
  await second.until(({ data }) => data.run_id === live);
  expect(kindsOf(second, missed)).toEqual(['requested', 'granted', 'started', 'finished']);
  const without = await follow(`?package=again&since=${id}`);
  await without.until(({ data }) => data.run_id === live);
});

it('a client gets only what it asks for', async () => {
  const query = '?package=hello,wanted&suite=bookworm&arch=amd64&trigger=a/1&kinds=finished&status=fail';
  const client = await follow(query);
  for (const [name, trigger, verdict] of [
    ['wanted', 'a/1', 'pass'],
    ['wanted', 'b/1', 'fail'],
    ['other', 'a/1', 'fail'],
    ['wanted', 'c/2 a/1', 'fail'],
  ] as const)
    await api.finish(await api.submit(name, { trigger }), { verdict });
  await client.until(({ event }) => event === 'finished');
  expect(client.events.map(({ data }) => [data.package, data.trigger])).toEqual([['wanted', 'c/2 a/1']]);
});

it('only its key gets events of a private run, and every client does once it is published', async () => {
  const own = await follow('?mine=true');
  const others = [
    await follow('', undefined, api.keys.bob),
    await follow('', undefined, api.keys.aliceSecond),
    await follow('?mine=true', undefined, api.keys.bob),
  ];
  const hidden = await api.submit('hidden', { is_private: true });
  await own.until(({ data }) => data.run_id === hidden);
  const open = await api.submit('open', {}, api.keys.bob);
  for (const client of others) await client.until(({ data }) => data.run_id === open);
  for (const client of others) expect(kindsOf(client, hidden)).toEqual([]);
  expect(own.events.map(({ data }) => [data.run_id, data.is_private])).toEqual([[hidden, true]]);
  await api.api('/test/publish', { method: 'POST', body: new URLSearchParams({ run_ids: String(hidden) }) });
  await others[0]!.until(({ event }) => event === 'published');
});

describe('a follower who may no longer read gets nothing further', () => {
  /** Resolves when the service closes the connection, or cuts it off. */
  const closed = async (client: EventClient): Promise<void> => {
    while (await client.read().catch(() => false));
  };

  it.each<[string, (of: { id: number; user: string }, root: string) => Promise<unknown>]>([
    ['its key was revoked', ({ id }, root) => api.api(`/admin/keys/${id}/revoke`, { method: 'POST' }, root)],
    [
      'its user was disabled',
      ({ user }, root) => api.api(`/admin/users/${user}/disable`, { method: 'POST' }, root),
    ],
  ])('%s', async (why, change) => {
    const user = `follower-${why.length}`;
    await api.database.users.add(user, { isAdmin: false });
    const { key, id } = await api.database.apiKeys.create(user, 'follows');
    const [client, other] = [await follow('', undefined, key), await follow()];
    const hidden = await api.submit('hidden', { is_private: true }, key);
    await client.until(({ data }) => data.run_id === hidden);
    expect(await change({ id, user }, await api.adminKey())).toMatchObject({ ok: true });
    await closed(client);
    const open = await api.submit('open');
    await other.until(({ data }) => data.run_id === open);
    expect(client.events.map(({ data }) => data.run_id)).not.toContain(open);
    await expect(follow('', undefined, key)).rejects.toThrow(/^403/);
  });
});

it.each([
  ['1000000000.5.1', /older than 24 hours/],
  ['99999999999', /not known here/],
])(
  'a client whose last event %s cannot be found gets a message that says so, and goes on with what comes',
  async (id, why) => {
    const client = await follow('', id);
    const runId = await api.submit('hello');
    await client.until(({ data }) => data.run_id === runId);
    expect(client.events[0]).toMatchObject({ event: 'reset', data: { reason: expect.stringMatching(why) } });
  },
);

it.each([
  ['?kinds=gone', /kinds must be of requested, /],
  ['?package=NOT', /package must be names of packages, not "NOT"/],
  ['?since=yesterday', /since must be the id of an event/],
  ['?mine=perhaps', /mine must be true or false/],
  ['?all=1', /The parameter "all" is unknown/],
])('what cannot be followed is refused: %s', async (query, detail) => {
  const response = await api.api(`/events${query}`);
  expect([response.status, await response.json()]).toEqual([
    400,
    expect.objectContaining({ detail: expect.stringMatching(detail) }),
  ]);
});

it('a key has at most so many connections, and a place is free when one is closed', async () => {
  for (let count = 0; count < 4; count += 1) await follow();
  const refusal = await api.api('/events');
  expect([refusal.status, refusal.headers.get('retry-after')]).toEqual([429, '5']);
  await clients.pop()!.close();
  while (
    !(await api.api('/events', { method: 'GET', signal: AbortSignal.timeout(PATIENCE_MS) }).then(opened))
  );
});

async function opened(response: Response): Promise<boolean> {
  await response.body!.cancel();
  return response.status === 200;
}
