import { gzipSync } from 'node:zlib';
import { subjectOf, SUBJECTS } from '@proctor/contracts';
import { startApi } from '@test/support/api';
import type { RunningApi } from '@test/support/api';
import { pageOf, rows } from '@test/support/pages';

let api: RunningApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

const EVIL = `<script>alert("x")</script>&'`;

const page = (path: string): Promise<string> => pageOf(api, path);

it('the first page leads a newcomer to the form, then to the command', async () => {
  const html = await page('/');
  const { host } = new URL(api.url);
  const [before, command] = html.split(`http://${host}/api/v1/test/bookworm/amd64/hello`);
  expect(before).toContain('<a class="button primary" href="/-/request">Request a test</a>');
  expect(command).toContain('amd64, arm64: no scheduler answers; runs wait until one does');
});

it('the first page shows what waits and runs, the last results, and what needs attention', async () => {
  const running = await api.submit('curl');
  const finishedRun = await api.submit('zlib');
  await api.submit('hello', { trigger: EVIL });
  await api.submit('hidden', { is_private: true });
  await api.start(running);
  await api.finish(finishedRun, { verdict: 'tmpfail', version: EVIL });
  const testbed = { suite: 'bookworm', backend: 'unshare', state: 'building', detail: 'building for 12 s' };
  const unsubscribe = api.bus.subscribe(subjectOf(SUBJECTS.status, 'amd64'), ({ respond }) => {
    const offers = {
      slots: 2,
      busy: 1,
      testbeds: [testbed],
      variants: [],
      sizeClasses: [],
      standing: 'sound',
    };
    const workers = [{ worker: 'worker-1', ...offers }];
    respond?.(JSON.stringify({ arch: 'amd64', epoch: 1, workers, queues: [] }));
  });
  const html = await page('/');
  expect(html).toContain('Worker worker-1 is building the image bookworm/amd64 (for 12 s)');
  expect(html).not.toContain('api/v1/test/bookworm');
  expect(html).toContain('<a href="/status/pending/">1 waiting, 1 running.</a>');
  expect(html).toContain('<a href="/status/pending/?arch=amd64">1 waiting</a>');
  expect(html).not.toContain('hidden<');
  expect(html).toContain(
    `href="/packages/c/curl/bookworm/amd64/${running}/" aria-label="running: run ${running}"`,
  );
  expect(html).toContain(
    `href="/packages/z/zlib/bookworm/amd64/${finishedRun}/" aria-label="tmpfail: run ${finishedRun}"`,
  );
  expect(html).toContain('&lt;script&gt;');
  const started = /<p class="elapsed">Started <time [^>]*>[^<]+<\/time>\. <\/p>/;
  expect(await page(`/packages/c/curl/bookworm/amd64/${running}/`)).toMatch(started);
  for (const [, link] of html.matchAll(/href="(\/[^"]*)"/g))
    expect([link, (await api.fetch(link!)).status]).toEqual([link, link === '/-/request' ? 302 : 200]);
  unsubscribe();
});

it('the page of a run leads to its log, and escapes whatever its worker says', async () => {
  const runId = await api.submit('perl', { trigger: EVIL });
  const path = `/packages/p/perl/bookworm/amd64/${runId}`;
  expect(await page(path)).toContain('no scheduler answers for amd64');
  await api.finish(runId, {
    verdict: 'fail',
    message: `tests failed ${EVIL}`,
    files: { 'log.gz': 'a line of the log\n' },
  });
  const html = await page(`${path}/`);
  expect(html).toContain('tests failed &lt;script&gt;');
  expect(html).not.toContain('a line of the log');
  expect(html).toContain(`href="${path}/log"`);
  expect(html).toContain(`href="/data/autopkgtest/bookworm/amd64/p/perl/${runId}/log.gz"`);
  expect((await api.fetch(path.replace('/perl/', '/python/'))).status).toBe(404);
});

it('a part of a page that did not change is not sent again', async () => {
  for (const path of ['/assets/style.css', '/assets/icon.svg']) {
    const etag = (await api.fetch(path)).headers.get('etag')!;
    const headers = { 'If-None-Match': etag, 'Cache-Control': 'max-age=0' };
    expect([path, (await api.fetch(path, { headers })).status]).toEqual([path, 304]);
  }
});

it('what a page loads is kept for ever at its address, and its address changes with its content', async () => {
  const html = await page('/status/');
  const all = [...html.matchAll(/"(\/assets\/[^"#]*)/g)].map(([, url]) => url!);
  // The one that is another for each reader.
  const urls = all.filter((url) => url !== '/assets/look.css');
  expect(urls.length).toBeLessThan(all.length);
  const names = new Set(urls.map((url) => url.replace(/\.[0-9a-f]{12}\./, '.')));
  expect([...names].sort()).toEqual(
    ['client.js', 'icon.svg', 'sprite.svg', 'style.css'].map((name) => `/assets/${name}`),
  );
  for (const url of urls) {
    const response = await api.fetch(url);
    const cacheFacts = [response.status, response.headers.get('cache-control')];
    expect([url, ...cacheFacts]).toEqual([url, 200, 'public, max-age=31536000, immutable']);
  }
  const other = await api.fetch('/assets/style.000000000000.css');
  expect([other.status, other.headers.get('cache-control')]).toEqual([200, 'public, max-age=3600']);
});

it('the script of the pages is small, and with the style and the icons still is', async () => {
  const packed: Record<string, number> = {};
  for (const name of ['client.js', 'style.css', 'sprite.svg'])
    packed[name] = gzipSync(await (await api.fetch(`/assets/${name}`)).text()).length;
  expect(packed['client.js']).toBeLessThanOrEqual(25_000);
  expect(Object.values(packed).reduce((sum, bytes) => sum + bytes)).toBeLessThanOrEqual(60_000);
});

it('pages lead from the beginnings of names to a package, and to its history', async () => {
  const ids = [await api.submit('libnew'), await api.submit('libnew', { trigger: EVIL })];
  await api.finish(ids[0]!, { version: '7-1' });
  await api.finish(ids[1]!, { verdict: 'fail', version: EVIL, message: EVIL });

  expect(await page('/packages/')).toContain('href="/packages/libn/"');
  expect(await page('/packages/libn/')).toContain('href="/packages/libn/libnew/"');
  const html = await page('/packages/libn/libnew/');
  expect(rows(html)).toEqual([
    ['Suite', 'amd64 1 fail', 'arm64 0 fail'],
    ['bookworm', expect.stringMatching(/^fail &lt;script&gt;.* UTC$/), 'not tested'],
    ['trixie', 'not tested', 'not tested'],
  ]);
  expect(html).toContain('href="/packages/libn/libnew/bookworm/amd64/"');
  expect(html).toContain('href="/data/feeds/libn/libnew.xml"');
});

it('many names are listed in parts', async () => {
  const names = Array.from({ length: 1_000 }, (_, index) => `rust-${String(index).padStart(4, '0')}`);
  const body = JSON.stringify({ tests: names.map((name) => ({ package: name })) });
  const headers = { 'Content-Type': 'application/json' };
  expect((await api.api('/test/trixie/arm64', { method: 'POST', headers, body })).status).toBe(201);
  const first = await page('/packages/r/');
  expect(first).not.toContain('First packages');
  const next = /href="([^"]*)" rel="next"/.exec(first)![1]!;
  const last = await page(next);
  expect(last).not.toContain('rel="next"');
  expect(last).toContain('<a href="/packages/r/">First packages</a>');
  expect([first, last].flatMap((html) => html.match(/(?<=">)rust-\d+/g))).toEqual(names);
  expect((await api.fetch('/packages/r/?after=untested:rust-0999')).status).toBe(404);
  const refusal = await api.fetch('/packages/r/?after=A');
  expect(refusal.status).toBe(400);
  expect(await refusal.json()).toMatchObject({
    detail: 'after must be a state and the name of a package as fail:hello, not "A".',
  });
});

it('pages show the status of all packages, as numbers and as lists', async () => {
  const [head, ...numbers] = rows(await page('/status/'));
  expect(head).toEqual(['Suite', 'Architecture', 'pass', 'fail', 'tmpfail', 'All packages']);
  expect(numbers.map((row) => row.slice(0, 2).join('/'))).toEqual([
    'bookworm/amd64',
    'bookworm/arm64',
    'trixie/amd64',
    'trixie/arm64',
  ]);
  const failing = rows(await page('/status/bookworm/amd64/?status=fail'));
  expect(failing).toContainEqual([
    'libnew',
    expect.stringContaining('&lt;script&gt;'),
    'fail',
    'pass',
    expect.stringMatching(/^7-1 .* UTC$/),
    expect.stringMatching(/ UTC$/),
    '30 s',
    expect.stringContaining('&lt;script&gt;'),
  ]);
  expect(failing.every(([, , status]) => status === 'fail' || status === 'Status')).toBe(true);
  const [first, ...further] = await Promise.all(
    ['', '?after=libnew', '?status=fail&after=libnew'].map((query) =>
      page(`/status/bookworm/amd64/${query}`),
    ),
  );
  expect(first).toMatch(/<\/span>libnew<\/a>/);
  for (const html of further) expect(html).not.toContain('>libnew<');
  for (const query of ['status=neutral', 'status=x', 'after=%00', 'after=A', 'status=fail&status=pass']) {
    expect([query, (await api.fetch(`/status/bookworm/amd64/?${query}`)).status]).toEqual([query, 400]);
  }
});

it('pages have what screen readers need', async () => {
  for (const path of [
    '/packages/',
    '/packages/libn/',
    '/packages/libn/libnew/',
    '/status/',
    '/status/bookworm/amd64/',
  ]) {
    const html = await page(path);
    expect(html).toMatch(/<html lang="en">/);
    expect(html).toContain('<a class="skip" href="#content">');
    expect(html.match(/<h1>/g)).toHaveLength(1);
    expect(html.match(/<caption>/g)?.length ?? 0).toBe(html.match(/<table/g)?.length ?? 0);
    expect(html).not.toMatch(/<th(?![^>]*scope=)[ >]/);
  }
});
