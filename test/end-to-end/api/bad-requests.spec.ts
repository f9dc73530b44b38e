import fc from 'fast-check';
import { startApi } from '../../support/api';
import type { RunningApi } from '../../support/api';
import { codePoint } from '../../support/code-point';

let api: RunningApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

type Body = NonNullable<RequestInit['body']>;

const LIST = '/test/bookworm/amd64';

function post(path: string, body?: Body, type?: string): Promise<Response> {
  return api.api(path, {
    method: 'POST',
    ...(body !== undefined ? { body } : {}),
    ...(type ? { headers: { 'Content-Type': type } } : {}),
  });
}

/** How many runs there are. */
async function count(): Promise<number> {
  const { results } = (await (await api.api('/test?since=0')).json()) as { results: unknown[] };
  return results.length;
}

function multipart(parts: string[], boundary = 'x'): [Body, string] {
  const body = parts.map((part) => `--${boundary}\r\nContent-Disposition: form-data; ${part}\r\n`).join('');
  return [`${body}--${boundary}--\r\n`, `multipart/form-data; boundary=${boundary}`];
}

describe('a bad request', () => {
  const good = JSON.stringify([{ package: 'hello' }]);

  it.each<[string, () => Promise<Response>, RegExp]>([
    ['an unknown suite', () => post('/test/sid/amd64', good, 'application/json'), /suite "sid"/],
    ['an unknown architecture', () => post('/test/bookworm/m68k/hello'), /architecture "m68k"/],
    ['a suite from the prototype', () => post('/test/__proto__/amd64/hello'), /"__proto__"/],
    ['no tests', () => post(LIST), /tests is missing/],
    ['bad JSON', () => post(LIST, '[{', 'application/json'), /not valid JSON/],
    [
      'bad JSON in a field',
      () => post(LIST, new URLSearchParams({ tests: 'hello' })),
      /tests is not valid JSON/,
    ],
    ['a JSON text', () => post(LIST, '"hello"', 'application/json'), /an object or an array/],
    [
      'JSON in the wrong type',
      () => post(LIST, good, 'application/x-www-form-urlencoded'),
      /tests is missing/,
    ],
    [
      'tests twice',
      () => post(LIST, `tests=${good}&tests=${good}`, 'application/x-www-form-urlencoded'),
      /"tests" is given more than once/,
    ],
    [
      'tests as field and file',
      () =>
        post(
          LIST,
          ...multipart([`name="tests"\r\n\r\n${good}`, `name="tests"; filename="a"\r\n\r\n${good}`]),
        ),
      /more than once/,
    ],
    [
      'tests as an array',
      () => post(LIST, ...multipart([`name="tests[]"\r\n\r\n${good}`])),
      /multipart body cannot be read/,
    ],
    [
      'a broken multipart',
      () => post(LIST, '--x\r\nContent-Disp', 'multipart/form-data; boundary=x'),
      /multipart body cannot be read/,
    ],
    [
      'multipart without a boundary',
      () => post(LIST, '--x--', 'multipart/form-data'),
      /multipart body cannot be read/,
    ],
    [
      'priority twice',
      () => post(`${LIST}/hello?priority=1&priority=2`),
      /"priority" is given more than once/,
    ],
    ['priority 5abc', () => post(`${LIST}/hello?priority=5abc`), /priority .* not "5abc"/],
    ['an empty priority', () => post(`${LIST}/hello?priority=`), /priority .* not ""/],
    ['is_private 1', () => post(`${LIST}/hello?is_private=1`), /is_private must be true or false, not "1"/],
    [
      'sources that are a text',
      () => post(`${LIST}/hello?extra_apt_sources="x"`),
      /extra_apt_sources must be an array/,
    ],
    [
      'a source of others',
      () => api.api(`${LIST}/hello?extra_apt_sources=["inner"]`, { method: 'POST' }, api.keys.bob),
      /"inner".*bob/,
    ],
    ['NUL in the trigger', () => post(`${LIST}/hello?trigger=a%00b`), /trigger must be a string without NUL/],
    ['broken UTF-8 in the query', () => post(`${LIST}/hello?trigger=%ff`), /percent-encoded UTF-8/],
    [
      'broken UTF-8 in a form',
      () => post(LIST, 'tests=%ff', 'application/x-www-form-urlencoded'),
      /percent-encoded UTF-8/,
    ],
    [
      'broken UTF-8 in JSON',
      () => post(LIST, Buffer.from('[{"package":"hello","trigger":"\xff"}]', 'latin1'), 'application/json'),
      /not valid UTF-8/,
    ],
    [
      'broken UTF-8 in a file',
      () => {
        const form = new FormData();
        form.set('tests', new Blob([Buffer.from([0xff])]), 'x');
        return post(LIST, form);
      },
      /not valid UTF-8/,
    ],
    [
      'one bad item',
      () => post(LIST, '[{"package":"hello"},{"package":"hello","trigger":5}]', 'application/json'),
      /tests\[1\]\.trigger/,
    ],
  ])('with %s is refused whole', async (_what, send, detail) => {
    const before = await count();
    const response = await send();
    const problem = (await response.json()) as { status: number; detail: string };
    expect([response.status, problem.status]).toEqual([400, 400]);
    expect(problem.detail).toMatch(detail);
    expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(response.headers.get('auth-user')).not.toBeNull();
    expect(await count()).toBe(before);
  });

  it.each([
    ['text/plain', good],
    ['application/xml', '<tests/>'],
    ['', good],
  ])('with a body of type %j is refused', async (type, body) => {
    const response = await api.api(LIST, {
      method: 'POST',
      headers: { 'Content-Type': type },
      body: Buffer.from(body),
    });
    expect(response.status).toBe(415);
  });

  it('never makes the server fail, whatever it holds', async () => {
    const types = [
      'application/json',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'multipart/form-data',
      'a/b',
    ];
    const texts = fc.oneof(
      fc.json(),
      fc.json().map((json) => `tests=${json}`),
      fc.json().map((json) => `tests=${encodeURIComponent(json)}&priority=5`),
      fc
        .json()
        .map((json) => `--x\r\nContent-Disposition: form-data; name="tests"\r\n\r\n${json}\r\n--x--\r\n`),
      fc.string({ unit: codePoint }),
    );
    const bodies = fc.oneof(
      texts.map((body) => Buffer.from(body)),
      fc.uint8Array().map((bytes) => Buffer.from(bytes)),
    );
    const query = fc.constantFrom(
      '',
      '?priority=5',
      '?priority[]=5',
      '?tests=[]',
      '?%ff',
      '?__proto__=1',
      '?tests[constructor]=1',
    );
    const path = fc.constantFrom(LIST, `${LIST}/hello`, `${LIST}/constructor`, '/test/toString/amd64');
    await fc.assert(
      fc.asyncProperty(path, query, fc.constantFrom(...types), bodies, async (to, asked, type, body) => {
        const response = await post(to + asked, new Uint8Array(body), type);
        expect([201, 400, 413, 415]).toContain(response.status);
        await response.json();
      }),
      { numRuns: 200 },
    );
  }, 30_000);
});
