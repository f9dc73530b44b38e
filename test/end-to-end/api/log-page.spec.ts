import { errorSignature } from '@proctor/contracts';
import { ERROR_PATTERNS, errorExpression, LogIndexer } from '@proctor/result-files';
import { startApi } from '@test/support/api';
import type { RunningApi } from '@test/support/api';

let api: RunningApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

const own = (text: string) => `autopkgtest [12:34:56]: ${text}\n`;
const test = (name: string, output: string, result: string) =>
  own(`test ${name}: preparing testbed`) +
  own(`test ${name}: [-----------------------`) +
  output +
  own(`test ${name}: -----------------------]`) +
  own(`test ${name}:  - - - - - - - - - - results - - - - - - - - - -`) +
  `${name}   ${result}\n`;

const HOSTILE =
  '<script>alert(1)</script> "quoted"\n' +
  'a\u202ebidi needle\n' +
  '\x1b]8;;javascript:alert(2)\x07click\x1b]8;;\x07 \x1b[31mred\x1b[0m\n' +
  'see http://a.example/?a=1&b=<x>\n' +
  '10%\r100%\n' +
  `long ${'y'.repeat(1_000_000)}\n`;
const LOG =
  own('starting') +
  test('good', 'fine\n', 'PASS') +
  test('<img/src=x>', `one\n${HOSTILE}error: it broke\ntwo\n`, 'FAIL non-zero exit status 1') +
  own('@@@@@@@@@@@@@@@@@@@@ summary') +
  'good PASS\n';

async function finishedRun(
  name: string,
  log: string,
  parameters: Record<string, unknown> = {},
): Promise<string> {
  const runId = await api.submit(name, parameters);
  await api.finish(runId, { verdict: 'fail', files: { 'log.gz': log } });
  return `/packages/${name[0]}/${name}/bookworm/amd64/${runId}`;
}

async function page(path: string): Promise<string> {
  const response = await api.fetch(path);
  expect([path, response.status]).toEqual([path, 200]);
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  return response.text();
}

it('the page of a log has its parts, the failed one open, and leads to the first error', async () => {
  const html = await page(`${await finishedRun('parts', LOG)}/log`);
  const parts = [...html.matchAll(/<details id="part-\d+"( open)?>\s*<summary><span class="name">([^<]*)</g)];
  expect(parts.map(([, open, name]) => [name, open !== undefined])).toEqual([
    ['Start', false],
    ['good: preparation', false],
    ['good', false],
    ['&lt;img/src=x&gt;: preparation', false],
    ['&lt;img/src=x&gt;', true],
    ['Summary', false],
  ]);
  const line = LOG.slice(0, LOG.indexOf('error: it broke')).split('\n').length;
  expect(html).toContain(`<a href="#L${line}" data-hotkey="e">First error: line ${line}</a>`);
  expect(html).toContain(
    `<a id="L${line}" href="#L${line}" tabindex="-1">${line}</a><mark>error: it broke</mark>`,
  );
});

it.each([
  ['cause', 'E: a line that says little\nValueError: no such thing\n', 'ValueError: no such thing', 2],
  [
    'silent',
    'the list is out of date\nmake: *** [Makefile:3: check] Error 1\n',
    'the list is out of date',
    2,
  ],
])('the run, its log and the api have one line as the first error: %s', async (name, output, text, marks) => {
  const log = own('starting') + test('list', output, 'FAIL non-zero exit status 2');
  const indexer = new LogIndexer(errorExpression(ERROR_PATTERNS));
  indexer.add(Buffer.from(log));
  indexer.end();
  const excerpt = indexer.excerpt()!;
  const line = excerpt.errorLine;
  expect(excerpt.lines[line - excerpt.firstLine]).toBe(text);
  const runId = await api.submit(name);
  const error = { signature: errorSignature(excerpt), excerpt };
  await api.finish(runId, { verdict: 'fail', files: { 'log.gz': log }, error });
  const path = `/packages/${name[0]}/${name}/bookworm/amd64/${runId}`;
  expect(await page(`${path}/`)).toContain(`#L${line}">line ${line}</a>`);
  const html = await page(`${path}/log`);
  expect(html).toContain(`data-hotkey="e">First error: line ${line}</a>`);
  expect(html).toContain(`tabindex="-1">${line}</a><mark>${text}</mark>`);
  expect(html).toContain(`lines, ${marks} with errors`);
  const { errors } = (await (await api.api(`/runs/${runId}/log/index`)).json()) as { errors: number[] };
  expect([errors.length, errors]).toEqual([marks, expect.arrayContaining([line])]);
  const answer = await api.api(`/signatures/${error.signature}`);
  expect(await answer.json()).toMatchObject({ excerpt: { error_line: line } });
});

it('hostile lines of a log are text on its page', async () => {
  const path = await finishedRun('hostile', LOG);
  const html = await page(`${path}/log?q=${encodeURIComponent('<script>')}`);
  expect(html).not.toMatch(/<script>|<img\/|javascript:|\u202e|style=/);
  expect(html).not.toContain('\x1b');
  expect(html).toContain(
    '<mark class="found">&lt;script&gt;</mark>alert(1)&lt;/script&gt; &quot;quoted&quot;',
  );
  expect(html).toContain('a<span class="hidden-character">U+202E</span>bidi needle');
  expect(html).toContain('click <span class="fg-ansi-red">red</span>');
  expect(html).toContain('href="http://a.example/?a=1&amp;b=" rel="nofollow noopener noreferrer"');
  expect(html).toContain('</a>100%\n');
  expect(html).toMatch(/y{1000} <a class="rest" href="[^"]*raw\?line=\d+">show all 1000005 bytes<\/a>/);
  expect(html.length).toBeLessThan(40_000);
  const searchPage = await page(`${path}/log?q=needle`);
  expect(searchPage).not.toContain('\u202e');
  expect(searchPage).toContain(
    '<code>a<span class="hidden-character">U+202E</span>bidi <mark class="found">needle</mark></code>',
  );
  const rest = /class="rest" href="([^"]*)"/.exec(html)![1]!;
  expect(await (await api.fetch(rest)).text()).toBe(`long ${'y'.repeat(1_000_000)}`);
});

it('the log as text is text to every browser', async () => {
  const path = await finishedRun('raw', LOG);
  const response = await api.fetch(`${path}/raw`);
  expect(await response.text()).toBe(LOG);
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  expect(response.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
});

it('a long log is shown in parts around what is wanted, and searched as a whole', async () => {
  const lines = Array.from({ length: 120_000 }, (_, n) => `${n + 1} ${'some words of a line '.repeat(4)}`);
  lines[80_000] = 'error: the needle';
  const path = await finishedRun('long', lines.join('\n'));
  const first = await page(`${path}/log`);
  expect(first).toContain('<mark>error: the needle</mark>');
  expect(first.length).toBeLessThan(600_000);
  expect(first).toContain('<a id="L80001"');
  const middle = await page(`${path}/log?from=60000`);
  expect(middle).toContain('<a id="L60000"');
  expect(middle).not.toContain('<a id="L80001"');
  const html = await page(`${path}/log?q=THE+NEEDLE`);
  expect(html).toMatch(
    /<li><a href="[^"]*#L80001">Line 80001<\/a> <code>error: <mark class="found">the needle<\/mark><\/code>/,
  );
  expect((await page(`${path}/log?q=words`)).match(/<li><a [^>]*>Line /g)).toHaveLength(200);
});

it('what there is of a live log is on its page without a script', async () => {
  const runId = await api.submit('live');
  await api.start(runId);
  const [attempt] = await api.database.results.attemptsOf(runId);
  const grant = { runId, attempt: 1, grantEpoch: attempt!.epoch };
  const data = Buffer.from('first <b>\nsecond\n').toString('base64');
  await api.bus.appendLog('worker-1', grant, { chunk: 0, offset: 0, data });
  const html = await page(`/packages/l/live/bookworm/amd64/${runId}/log`);
  expect(html).toContain('first &lt;b&gt;\n');
  expect(html).toContain(
    `data-events="/packages/l/live/bookworm/amd64/${runId}/log/events?attempt=1" data-offset="17" data-line="3"`,
  );
});

it('a private run has no log for strangers, by any address', async () => {
  const path = await finishedRun('secret', LOG, { is_private: true });
  for (const each of ['/log', '/log/events', '/raw', '/raw?line=1', '/log?q=x', '/log?attempt=1'])
    expect([each, (await api.fetch(path + each)).status]).toEqual([each, 404]);
  const headers = { 'Auth-Key': api.keys.alice };
  const owner = await api.fetch(`${path}/log`, { headers });
  expect([owner.status, owner.headers.get('cache-control')]).toEqual([200, 'private, no-store']);
});

it.each(['attempt=0', 'from=x', 'from=1&from=2', `q=${'x'.repeat(201)}`, 'line=-1'])(
  'the page of a log does not take %s',
  async (query) => {
    expect((await api.fetch(`${await finishedRun('asked', 'log')}/log?${query}`)).status).toBe(400);
  },
);
