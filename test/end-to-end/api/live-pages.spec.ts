import { subjectOf, SUBJECTS } from '@proctor/contracts';
import { startApi } from '@test/support/api';
import { Browser } from '@test/support/browser';
import type { RunningApi } from '@test/support/api';

let api: RunningApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

/** The events of a stream, as they come. */
async function* eventsOf(topic: string, signal: AbortSignal, cookie = ''): AsyncGenerator<string> {
  const headers = cookie === '' ? {} : { Cookie: cookie };
  const response = await api.fetch(`/-/live?of=${topic}`, { signal, headers });
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    'text/event-stream; charset=utf-8',
  ]);
  let text = '';
  for await (const bytes of response.body!.pipeThrough(new TextDecoderStream())) {
    text += bytes;
    const parts = text.split('\n\n');
    text = parts.pop()!;
    for (const part of parts) yield part;
  }
}

it('a page that is followed gets a message when what it shows has changed', async () => {
  const trigger = 'glibc/2.40-4';
  const runId = await api.submit('hello', { trigger });
  for (const topic of ['front', 'package/hello', `trigger/${trigger}`, `run/${runId}`]) {
    const stop = new AbortController();
    const events = eventsOf(topic, stop.signal);
    expect((await events.next()).value).toMatch(/^retry: \d{4}$/);
    await api.database.decisions.reprioritise(
      { runIds: [runId] },
      8,
      { userId: 1, userName: 'alice' },
      topic,
    );
    if (topic === 'front') await api.submit('hello');
    else if (topic.startsWith('run')) await api.start(runId);
    else await api.submit('hello', { trigger });
    expect((await events.next()).value).toBe('event: stale\ndata:');
    stop.abort();
  }
});

it('the page of a waiting run gets a message when its place in the queue has changed', async () => {
  const runId = await api.submit('hello');
  let position = 3;
  const end = api.bus.subscribe(subjectOf(SUBJECTS.explain, 'amd64'), ({ respond }) =>
    respond?.(JSON.stringify({ arch: 'amd64', epoch: 1, runId, position, ahead: position - 1, reasons: [] })),
  );
  const stop = new AbortController();
  const events = eventsOf(`run/${runId}`, stop.signal);
  await events.next();
  position = 2;
  expect((await events.next()).value).toBe('event: stale\ndata:');
  const page = await (await api.fetch(`/packages/h/hello/bookworm/amd64/${runId}/`)).text();
  expect(page.match(/role="status">[^]*?<\/p>/)![0]).toContain(
    'This run waits at position 2, behind 1 other run.',
  );
  stop.abort();
  end();
});

it('a private run, and a trigger that has no others, are followed by its user and by administrators alone', async () => {
  await api.adminKey();
  const cookies: Record<string, string> = {};
  for (const name of ['alice', 'root', 'bob']) {
    await api.database.users.setPassword(name, `of ${name}`);
    const browser = new Browser(api.url);
    await browser.logIn(name, `of ${name}`);
    cookies[name] = browser.header;
  }
  const runId = await api.submit('followed', { is_private: true, trigger: 'followed/1' });
  const topics = [`run/${runId}`, 'trigger/followed/1'];
  for (const topic of topics) {
    const { status } = await api.fetch(`/-/live?of=${topic}`, { headers: { Cookie: cookies.bob! } });
    expect([topic, status]).toEqual([topic, 404]);
  }
  const stop = new AbortController();
  const followed = topics.flatMap((topic) =>
    ['alice', 'root'].map((name) => eventsOf(topic, stop.signal, cookies[name])),
  );
  for (const events of followed) expect((await events.next()).value).toMatch(/^retry: \d{4}$/);
  await api.start(runId);
  for (const events of followed) expect((await events.next()).value).toBe('event: stale\ndata:');
  stop.abort();
});

it('a list of a user’s runs gets a message when one of those that it shows has changed, and no other user can follow it', async () => {
  const [alice, bob] = [new Browser(api.url), new Browser(api.url)];
  for (const [name, browser] of [
    ['alice', alice],
    ['bob', bob],
  ] as const) {
    await api.database.users.setPassword(name, `of ${name}`);
    await browser.logIn(name, `of ${name}`);
  }
  const older = await api.submit('older', { is_private: true });
  const newer = await api.submit('newer');
  const stop = new AbortController();
  const all = eventsOf('runs-of/alice', stop.signal, alice.header);
  const before = eventsOf(`runs-of/alice/${newer}`, stop.signal, alice.header);
  for (const events of [all, before]) expect((await events.next()).value).toMatch(/^retry: \d{4}$/);
  const olderOnes = await api.database.ownRuns.version('alice', newer);
  await api.finish(newer);
  expect((await all.next()).value).toBe('event: stale\ndata:');
  expect(await api.database.ownRuns.version('alice', newer)).toBe(olderOnes);
  await api.start(older);
  for (const events of [all, before]) expect((await events.next()).value).toBe('event: stale\ndata:');
  stop.abort();

  const statusOf = async (topic: string, cookie: string): Promise<number> =>
    (await api.fetch(`/-/live?of=${topic}`, { headers: { Cookie: cookie } })).status;
  for (const topic of ['runs-of/alice', `runs-of/alice/${newer}`])
    for (const cookie of [bob.header, ''])
      expect([topic, await statusOf(topic, cookie)]).toEqual([topic, 404]);
  for (const topic of ['runs-of/', 'runs-of/alice/', 'runs-of/alice/x', 'runs-of/alice/1/2'])
    expect([topic, await statusOf(topic, alice.header)]).toEqual([topic, 404]);
});

it('an open page of a user who is disabled, and one of a former administrator, follow nothing further', async () => {
  const root = await api.adminKey();
  for (const [name, change] of [
    ['leaver', 'disable'],
    ['deputy', 'administrator'],
  ] as const) {
    await api.database.users.add(name, { isAdmin: name === 'deputy', password: `of ${name}` });
    const browser = new Browser(api.url);
    await browser.logIn(name, `of ${name}`);
    const stop = new AbortController();
    const [own, everybodys] = [
      eventsOf('front', stop.signal, browser.header),
      eventsOf('front', stop.signal),
    ];
    for (const events of [own, everybodys]) expect((await events.next()).value).toMatch(/^retry: \d{4}$/);
    const answer = await api.api(
      `/admin/users/${name}/${change}`,
      {
        method: 'POST',
        ...(change === 'administrator' && { body: new URLSearchParams({ admin: 'false' }) }),
      },
      root,
    );
    expect(answer.status).toBe(200);
    await expect(own.next()).rejects.toThrow('terminated');
    await api.submit('hello');
    expect((await everybodys.next()).value).toBe('event: stale\ndata:');
    stop.abort();
  }
});

it('a stranger can follow nothing of private runs, nor of what is not there', async () => {
  const runId = await api.submit('hidden', { is_private: true, trigger: 'secret/1' });
  for (const topic of [
    `run/${runId}`,
    'package/hidden',
    'run/99999',
    'run/x',
    'package/',
    'trigger/secret/1',
    'x',
    '',
  ]) {
    const { status } = await api.fetch(`/-/live?of=${topic}`);
    expect([topic, status]).toEqual([topic, 404]);
  }
  expect((await api.fetch('/-/live')).status).toBe(404);
});

it('crawlers find what to leave, and the icon is found where programs look for it', async () => {
  const robots = await api.fetch('/robots.txt');
  expect([robots.status, robots.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
  expect(await robots.text()).toContain('Disallow: /*?');
  const isLeft = async (path: string): Promise<boolean> =>
    (await (await api.fetch(path)).text()).includes('<meta name="robots" content="noindex,nofollow">');
  const place = '/status/bookworm/amd64/';
  expect([await isLeft(place), await isLeft(`${place}?status=fail`)]).toEqual([false, true]);
  const icon = await api.fetch('/favicon.ico');
  expect([icon.status, icon.headers.get('location')]).toEqual([
    302,
    expect.stringMatching(/^\/assets\/icon\.[0-9a-f]{12}\.svg$/),
  ]);
});
