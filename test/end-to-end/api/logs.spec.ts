import { once } from 'node:events';
import { startApi } from '@test/support/api';
import type { RunningApi } from '@test/support/api';
import { LiveRun } from '@test/support/live-run';

let api: RunningApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

interface Event {
  id?: string;
  event: string;
  data: { offset: number; data: string; text?: string; is_stored?: boolean };
}

/** A client of the events of a log. */
class Follower {
  readonly events: Event[] = [];
  private readonly abort = new AbortController();
  private reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  private text = '';

  constructor(
    private readonly path: string,
    private readonly lastEventId?: string,
  ) {}

  async open(): Promise<Response> {
    const headers = this.lastEventId === undefined ? {} : { 'Last-Event-ID': this.lastEventId };
    const response = await api.api(this.path, { headers, signal: this.abort.signal });
    this.reader = response.body!.getReader();
    return response;
  }

  /** Reads until an event of this kind has come that satisfies. */
  async until(satisfies: (event: Event) => boolean): Promise<void> {
    while (!this.events.some(satisfies)) {
      const { value, done } = await this.reader!.read();
      if (done) throw new Error(`the events ended: ${JSON.stringify(this.events)}`);
      this.text += Buffer.from(value).toString();
      const parts = this.text.split('\n\n');
      this.text = parts.pop()!;
      this.events.push(...parts.map(parsed).filter((event) => event !== null));
    }
  }

  cut(): void {
    this.abort.abort();
  }

  get bytes(): Buffer {
    const logs = this.events.filter(({ event }) => event === 'log');
    return Buffer.concat(logs.map(({ data }) => Buffer.from(data.data, 'base64')));
  }

  get lastId(): string | undefined {
    return this.events.findLast(({ id }) => id !== undefined)?.id;
  }
}

function parsed(block: string): Event | null {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
  const data = field('data');
  if (data === undefined) return null;
  const id = field('id');
  return {
    event: field('event')!,
    data: JSON.parse(data) as Event['data'],
    ...(id === undefined ? {} : { id }),
  };
}

const isEnd = ({ event }: Event): boolean => event === 'end';

it('a log is followed from its first live byte to its stored end, with the connection cut again and again, byte for byte', async () => {
  const log = Buffer.concat([
    Buffer.from('first line\n'),
    Buffer.from([0xff, 0xe2, 0x82]),
    Buffer.from('second line\n'.repeat(20_000)),
  ]);
  const run = await LiveRun.start(api, 'hello');
  const followers: Follower[] = [];
  const follow = async (): Promise<Follower> => {
    const follower = new Follower(`/runs/${run.runId}/log/events`, followers.at(-1)?.lastId);
    followers.push(follower);
    const response = await follower.open();
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    return follower;
  };
  // Cut in the middle of a character, of a line, and of the stored log.
  let at = 0;
  for (const end of [12, 13, 14, 100, 70_000]) {
    const follower = await follow();
    await run.write(log.subarray(at, end));
    at = end;
    await follower.until(({ id }) => id === String(end));
    follower.cut();
  }
  const last = await follow();
  await run.write(log.subarray(at, 100_000));
  await run.write('the live log ends here', true);
  await last.until(({ event }) => event === 'note');
  await run.end(log);
  await last.until(({ id }) => Number(id) > 120_000);
  last.cut();
  const stored = await follow();
  await stored.until(isEnd);
  expect(stored.events.at(-1)!.data.is_stored).toBe(true);
  expect(Buffer.concat(followers.map(({ bytes }) => bytes))).toEqual(log);
});

it('the log of a run is read by offset while it is executed, and when it has ended', async () => {
  const run = await LiveRun.start(api, 'offsets');
  await run.write('0123456789');
  const live = await api.api(`/runs/${run.runId}/log?offset=4`);
  expect([live.status, live.headers.get('log-complete'), await live.text()]).toEqual([
    200,
    'false',
    '456789',
  ]);
  expect(live.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(live.headers.get('x-content-type-options')).toBe('nosniff');
  expect(live.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
  await run.end(Buffer.from('0123456789abc'));
  const stored = await api.api(`/runs/${run.runId}/log?offset=10&attempt=1`);
  expect([stored.headers.get('log-complete'), await stored.text()]).toEqual(['true', 'abc']);
  const behind = await api.api(`/runs/${run.runId}/log?offset=99`);
  expect([behind.status, await behind.text()]).toEqual([200, '']);
});

it('a stored log is followed like a live one, from any offset on', async () => {
  const run = await LiveRun.start(api, 'stored');
  await run.end(Buffer.from('0123456789'));
  const follower = new Follower(`/runs/${run.runId}/log/events?offset=7`);
  await follower.open();
  await follower.until(isEnd);
  expect(follower.bytes.toString()).toBe('789');
});

it('the index of a log that came without one is made at the first look, and kept', async () => {
  const run = await LiveRun.start(api, 'indexed');
  await run.end(Buffer.from('a\nerror: b\n'));
  expect(await api.store.open(run.runId, 1, 'log-index.json')).toBeNull();
  await (await api.api(`/runs/${run.runId}/log`)).text();
  const indexFile = await api.store.open(run.runId, 1, 'log-index.json');
  const [chunk] = (await once(indexFile!.content, 'data')) as [Buffer];
  expect(JSON.parse(chunk.toString())).toMatchObject({ lines: 2, marks: [2], blocks: [] });
});

it('the parts and errors of a log are listed by line, and it is searched, while it grows and when it is kept', async () => {
  const run = await LiveRun.start(api, 'searched');
  const own = (text: string) => `autopkgtest [12:34:56]: ${text}\n`;
  const test = own('test unit: [-----------------------') + 'error: no Room\n';
  await run.write(own('starting') + test);
  const answerOf = async (path: string) => {
    const response = await api.api(`/runs/${run.runId}/log/${path}`);
    return (await response.json()) as object;
  };
  const ids = { run_id: run.runId, attempt: 1 };
  expect(await answerOf('index')).toMatchObject({ ...ids, is_complete: false, lines: 3, errors: [3] });
  const hits = [{ line: 3, text: 'error: no Room' }];
  expect(await answerOf('search?q=no+room')).toEqual({ ...ids, is_complete: false, hits, next: null });
  const rest =
    own('test unit: -----------------------]') +
    own('test unit:  - - - - - - - - - - results - - - - - - - - - -') +
    'unit                 FAIL non-zero exit status 1\n' +
    'room\n'.repeat(300);
  await run.end(own('starting') + test + rest);
  expect(await answerOf('index')).toMatchObject({ ...ids, is_complete: true, errors: [3], errors_total: 1 });
  const { sections } = (await answerOf('index')) as { sections: object[] };
  expect(sections).toContainEqual({ kind: 'test', name: 'unit', line: 2, status: 'FAIL', seconds: 0 });
  expect(await answerOf('search?q=exit+STATUS&attempt=1')).toMatchObject({
    is_complete: true,
    hits: [{ line: 6 }],
  });
  expect(await answerOf('search?q=unit&from=7')).toMatchObject({ hits: [], next: null });
  const cut = (await answerOf('search?q=room')) as { hits: { line: number }[]; next: number };
  expect([cut.hits.length, cut.next]).toEqual([200, cut.hits.at(-1)!.line + 1]);
  const after = (await answerOf(`search?q=room&from=${cut.next}`)) as { hits: { line: number }[] };
  expect([after.hits.length, after.hits[0]!.line]).toEqual([101, cut.next]);
});

it.each([
  'search',
  'search?q=',
  `search?q=${'x'.repeat(201)}`,
  'search?q=a&from=0',
  'index?q=a',
  'index?attempt=0',
])('a log is not asked for as /log/%s', async (path) => {
  const response = await api.api(`/runs/1/log/${path}`);
  expect([response.status, ((await response.json()) as { detail: string }).detail]).toEqual([
    400,
    expect.stringMatching(/^(q|from|attempt|The parameter "q") /),
  ]);
});

it.each(['/log', '/log/events', '/log/index', '/log/search?q=secret', '/artifacts', '/artifacts/x'])(
  '%s of a private run, of no run, and of a run without an attempt is not there',
  async (path) => {
    const run = await LiveRun.start(api, 'secret', { is_private: true });
    await run.write('secret');
    const answers = [
      await api.api(`/runs/${run.runId}${path}`, {}, api.keys.bob),
      await api.api(`/runs/999999999${path}`),
      await api.api(`/runs/${await api.submit('waits')}${path}`),
      await api.api(`/runs/${run.runId}${path}${path.includes('?') ? '&' : '?'}attempt=2`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    for (const key of [api.keys.alice, await api.adminKey()])
      expect(await (await api.api(`/runs/${run.runId}/log`, {}, key)).text()).toBe('secret');
  },
);

it.each(['attempt=0', 'attempt=x', 'offset=-1', 'offset=1&offset=2', 'offset=99999999999999999'])(
  'a log is not asked for with %s',
  async (query) => {
    expect((await api.api(`/runs/1/log?${query}`)).status).toBe(400);
  },
);
