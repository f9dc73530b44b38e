import { publicReadOf } from '@apps/api/src/http/public-reads';
import { startApi } from '@test/support/api';
import type { RunningApi } from '@test/support/api';
import type { Browser } from '@test/support/browser';

let api: RunningApi;
let root: Browser;
let runId: number;
let adminKey: string;

beforeAll(async () => {
  api = await startApi();
  adminKey = await api.adminKey();
  root = await api.logIn('root');
  runId = await api.submit('hello', { trigger: 'glibc/2.40-4' });
  await api.finish(runId, { verdict: 'fail', files: { 'log.gz': 'a log\n' } });
  await api.finish(await api.submit('hello'));
});
afterAll(() => api.stop());

const SENTENCE = 'The parameter <code>nonsense</code> has no effect on this page.';

/** Names in the path of a route, as they are here. */
const NAMES: Record<string, string> = {
  user: 'root',
  prefix: 'h',
  package: 'hello',
  suite: 'bookworm',
  arch: 'amd64',
  list: 'failing',
  pair: '1...2',
};

function pathOf(route: string): string {
  const path = route.startsWith('/triggers/:') ? route.replace(':package/:version', 'glibc/2.40-4') : route;
  return path
    .replaceAll(':run_id', String(runId))
    .replace(/:(\w+)/g, (whole, name: string) => NAMES[name] ?? whole);
}

it('no page and no data ignores a parameter silently', async () => {
  const routes = api.routes.map((route) => route.split(' ') as [string, string]);
  const reading = routes.flatMap(([method, route]) => (method === 'GET' ? [pathOf(route)] : []));
  const publicReads = reading
    .map((path) => path.replace('/api/v1/', '/data/v1/'))
    .filter((path) => publicReadOf(path) !== null);
  expect(publicReads.length).toBeGreaterThan(10);
  const paths = [...reading, ...publicReads, '/status/slow/'];
  const [silent, pages, data]: [string[], string[], string[]] = [[], [], []];
  for (const path of paths) {
    if (/[:*]|events$|\/-\/live/.test(path)) continue;
    const since = path === '/api/v1/test' ? '&since=0' : '';
    const { status, headers, text } = await answerOf(`${path}?nonsense=1&utm_source=x&fbclid=y${since}`);
    // Refused, or there is nothing.
    if (status === 400 && text.includes('nonsense')) continue;
    if (status >= 400) continue;
    const isPage = status === 200 && (headers.get('content-type') ?? '').startsWith('text/html');
    const isNamed = isPage ? text.includes(SENTENCE) : headers.get('ignored-parameters') === 'nonsense';
    if (!isNamed || /utm_source<|fbclid</.test(text)) silent.push(`${path} ${status}`);
    (isPage ? pages : data).push(path);
  }
  expect(silent).toEqual([]);
  expect(pages.length).toBeGreaterThan(30);
  expect(data.length).toBeGreaterThan(30);
});

async function answerOf(path: string): Promise<{ status: number; headers: Headers; text: string }> {
  const isOfApi = path.startsWith('/api/v1/') && !path.startsWith('/api/v1/retry/');
  const response = await root.get(path, isOfApi ? { 'Auth-Key': adminKey } : {});
  return { status: response.status, headers: response.headers, text: await response.text() };
}

interface Documented {
  paths: Record<string, { get?: { parameters?: { name?: string; in?: string; $ref?: string }[] } }>;
  components: { parameters: Record<string, { name: string; in: string }> };
}

it('no parameter of the API that its document describes counts as ignored', async () => {
  const document = (await (await api.fetch('/api/v1/openapi.json')).json()) as Documented;
  const parameters = Object.entries(document.paths).flatMap(([path, { get }]) =>
    (get?.parameters ?? [])
      .map((each) => (each.$ref ? document.components.parameters[each.$ref.split('/').at(-1)!]! : each))
      .filter((each) => each.in === 'query')
      .map(({ name }) => ({ path: pathOf(path.replaceAll(/\{(\w+)\}/g, ':$1')), name: name! })),
  );
  const publicReads = parameters
    .map(({ path, name }) => ({ path: path.replace('/api/v1/', '/data/v1/'), name }))
    .filter(({ path }) => publicReadOf(path) !== null);
  const ignored: string[] = [];
  let answered = 0;
  const ofApi = parameters.filter(({ path }) => path.startsWith('/api/v1/') && !path.endsWith('/events'));
  for (const { path, name } of [...ofApi, ...publicReads]) {
    const since = path === '/api/v1/test' && name !== 'since' ? '&since=0' : '';
    const { status, headers } = await answerOf(`${path}?${encodeURIComponent(name)}=1${since}`);
    if (status >= 400) continue;
    answered += 1;
    if (headers.get('ignored-parameters') !== null) ignored.push(`${path}?${name}`);
  }
  expect(ignored).toEqual([]);
  expect(answered).toBeGreaterThan(15);
});

it.each([
  ['/status/failing/', 'since=2026-01-01&minutes=5', ['since', 'minutes']],
  ['/status/slow/', 'since=2026-01-01&minutes=5', ['since']],
  ['/status/pending/bookworm/', 'suite=trixie&arch=amd64', ['suite']],
  ['/packages/', 'suite=trixie', ['suite']],
  ['/', 'arch[]=amd64', ['arch[]']],
  ['/user/root/jobs', 'page=2&package=x', ['page']],
  ['/status/alerts/', 'page=2&suite=bookworm', ['page']],
  ['/status/alerts/', 'page=999999&suite=bookworm', ['page']],
  ['/', '%3Cb%3E=1&%F0%9F%98%80=1', ['&lt;b&gt;', '😀']],
  ['/', `${'long'.repeat(40)}=1`, [`${'long'.repeat(15)}…`]],
])('the page %s names what it ignores of %s', async (path, query, names) => {
  const { status, text } = await answerOf(`${path}?${query}`);
  const matches = [...text.matchAll(/The parameter <code>([^<]*)<\/code> has no effect on this page/g)];
  expect([status, matches.map(([, name]) => name)]).toEqual([200, names]);
});

it('JSON says so in a field, and everything else in a header', async () => {
  const list = await api.fetch('/status/failing.json?nonsense=1&minutes=2&suite=bookworm');
  expect(await list.json()).toMatchObject({ list: 'failing', ignored_parameters: ['nonsense', 'minutes'] });
  expect(await (await api.fetch('/status/failing.json?suite=bookworm')).json()).not.toHaveProperty(
    'ignored_parameters',
  );
  const feed = await api.fetch('/data/feeds/h/hello.xml?%22odd%22%0A=1');
  expect([feed.status, feed.headers.get('ignored-parameters')]).toEqual([200, '%22odd%22%0A']);
});

it('the API names what it ignores of query and body in the header alone', async () => {
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const retried = await api.api(`/retry/${runId}?priority=9`, { method: 'POST' });
  const published = await api.api('/test/publish?why=x', {
    method: 'POST',
    headers,
    body: 'run_ids=&reason=y',
  });
  const packages = await api.api('/packages?name=hello&backend=');
  const answers = [retried, published, packages].map(({ status, headers }) => [
    status,
    headers.get('ignored-parameters'),
  ]);
  expect(answers).toEqual([
    [201, 'priority'],
    [200, 'why, reason'],
    [200, 'name'],
  ]);
  expect(Object.keys((await retried.json()) as object)).toEqual(['run_id']);
});

it('a page with a parameter that it does not know is kept and asked for again like any other', async () => {
  const path = '/packages/h/hello/?nonsense=1';
  const [plain, other] = [await api.fetch('/packages/h/hello/'), await api.fetch(path)];
  for (const name of ['cache-control', 'last-modified', 'vary'])
    expect([name, other.headers.get(name)]).toEqual([name, plain.headers.get(name)]);
  expect(other.headers.get('etag')).not.toBe(plain.headers.get('etag'));
});
