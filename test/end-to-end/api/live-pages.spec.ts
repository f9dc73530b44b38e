import { startApi } from '../../support/api';
import type { RunningApi } from '../../support/api';

let api: RunningApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

/** The events of a stream, as they come. */
async function* eventsOf(topic: string, signal: AbortSignal): AsyncGenerator<string> {
  const response = await api.fetch(`/-/live?of=${topic}`, { signal });
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

it('a page that is followed is told when what it shows has changed', async () => {
  const trigger = 'glibc/2.40-4';
  const runId = await api.submit('hello', { trigger });
  for (const topic of ['front', 'package/hello', `trigger/${trigger}`, `run/${runId}`]) {
    const stop = new AbortController();
    const events = eventsOf(topic, stop.signal);
    expect((await events.next()).value).toBe('retry: 5000');
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

it('nothing can be followed of private runs, nor of what is not there', async () => {
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

it('crawlers are told what to leave, and the icon is found where programs look for it', async () => {
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
