import { loadConfiguration } from '@proctor/config';
import { startApi } from '@test/support/api';
import type { RunningApi } from '@test/support/api';
import { Browser } from '@test/support/browser';
import { ConfigurationFolder } from '@test/support/configuration-folder';
import { startPathProxy, type PathProxy } from '@test/support/path-proxy';

const folder = new ConfigurationFolder();
let api: RunningApi;
let proxy: PathProxy;
let origin: string;
let strays: string[];
let alice: Browser;
beforeAll(async () => {
  proxy = await startPathProxy(() => api.url);
  ({ origin, strays } = proxy);
  api = await startApi({ server: { publicUrl: `${origin}/ci` } });
  const { users } = api.database;
  await users.setPassword('alice', 'of alice');
  await users.add('root', { isAdmin: true });
  await users.setPassword('root', 'of root');
  const failedRun = await api.submit('hello', { trigger: 'glibc/2.40-4' });
  await api.finish(failedRun, {
    verdict: 'fail',
    files: { 'log.gz': 'a log\nmake: *** Error 1\n', 'artifacts.tar.gz': Buffer.from('x') },
    error: {
      line: 2,
      text: 'make: *** Error 1',
      excerpt: { firstLine: 1, lines: ['a log', 'make: *** Error 1'] },
    } as never,
  });
  await api.finish(await api.submit('curl'));
  await api.start(await api.submit('running'));
  await api.submit('waiting');
  while (await api.database.statusProjection.step('amd64'));
  alice = new Browser(origin);
});
afterAll(async () => {
  proxy.stop();
  await api.stop();
});

/** Addresses that a page, a feed or the headers of an answer lead to. */
function linksOf(body: string, headers: Headers): string[] {
  const attributes = body.matchAll(/\s(?:href|src|action|formaction|data-[a-z-]+)="([^"]*)"/g);
  const addresses = [
    ...[...attributes].map(([whole, url]) =>
      /data-(hotkey|base)/.test(whole) || !/^\/|^http/.test(url!) ? '' : url!,
    ),
    ...[...body.matchAll(/<(?:id|uri)>([^<]*)</g)].map(([, url]) => url!),
    ...[...(headers.get('link') ?? '').matchAll(/<([^>]*)>/g)].map(([, url]) => url!),
    headers.get('location') ?? '',
  ];
  return addresses.filter((url) => url !== '').map((url) => url.replaceAll('&amp;', '&'));
}

/** Follows what it finds. @returns the paths that it asked for */
async function walk(browser: Browser, starts: string[]): Promise<Set<string>> {
  const visitedPaths = new Set<string>();
  const shapes = new Set<string>();
  const todo = [...starts];
  for (let path = todo.pop(); path !== undefined; path = todo.pop()) {
    // Lists lead to many addresses of one kind.
    const shape = path.replace(/\d+/g, '1').replace(/\?.*$/, '');
    if (visitedPaths.has(path) || shapes.has(shape) || /events|logout|-\/live/.test(path)) continue;
    visitedPaths.add(path);
    shapes.add(shape);
    const response = await browser.get(path);
    const type = response.headers.get('content-type') ?? '';
    const body = /html|atom/.test(type) ? await response.text() : (await response.arrayBuffer(), '');
    for (const set of response.headers.getSetCookie())
      expect([path, set]).toEqual([path, expect.stringMatching(/; Path=\/ci(;|$)/)]);
    for (const url of linksOf(body, response.headers)) {
      const { origin: of, pathname, search } = new URL(url, origin + path);
      if (of !== origin) continue;
      if (!/^\/ci(\/|$)/.test(pathname)) strays.push(`${path} → ${url}`);
      todo.push(pathname + search);
    }
  }
  return visitedPaths;
}

it('below a path, every link, form, file, redirect and cookie stays below it', async () => {
  const root = new Browser(origin);
  await root.submit('/ci/user/login', '/ci/user/login', { name: 'root', password: 'of root' });
  const visitedPaths = await walk(root, ['/ci/']);
  expect(strays).toEqual([]);
  for (const path of [
    '/ci/packages/h/hello/',
    '/ci/status/failing/',
    '/ci/user/root/jobs',
    '/ci/admin/users/',
    '/ci/api/doc',
  ])
    expect([path, visitedPaths.has(path)]).toEqual([path, true]);
  expect(visitedPaths.size).toBeGreaterThan(60);
});

it('below a path, a login leads back, its cookie is of the path alone, and the way out leads to the first page', async () => {
  const redirect = await alice.get('/ci/user/alice/jobs?arch=amd64');
  expect(redirect.headers.get('location')).toBe(
    `/ci/user/login?next=${encodeURIComponent('/user/alice/jobs?arch=amd64')}`,
  );
  const came = await alice.submit(redirect.headers.get('location')!, '/ci/user/login', {
    name: 'alice',
    password: 'of alice',
  });
  expect([came.status, came.headers.get('location')]).toEqual([303, '/ci/user/alice/jobs?arch=amd64']);
  const original = encodeURIComponent(`${origin}/ci/user/alice/keys`);
  for (const originalUrl of [original, '/ci/user/alice/keys', '/user/alice/keys'])
    expect((await alice.get(`/ci/user/login?original_url=${originalUrl}`)).headers.get('location')).toBe(
      '/ci/user/alice/keys',
    );
  const look = await alice.post('/ci/-/look', { look: 'dark', back: '/packages/' });
  expect([look.headers.get('location'), look.headers.getSetCookie()]).toEqual([
    '/ci/packages/',
    [expect.stringMatching(/^look=dark;.*; Path=\/ci;/)],
  ]);
});

it('below a path, the cookie of a login over HTTPS is of the path and for HTTPS alone', async () => {
  const over = await startApi({
    server: { publicUrl: 'https://ci.example/ci', trustedProxies: ['loopback'] },
  });
  try {
    const browser = new Browser(over.url);
    const page = await browser.get('/user/login', { 'X-Forwarded-Proto': 'https' });
    const [cookie = ''] = page.headers.getSetCookie();
    expect(cookie).toMatch(/^__Secure-proctor=[^;]+; Path=\/ci; .*HttpOnly; Secure; SameSite=Lax$/);
    expect(await page.text()).toContain('action="/ci/user/login"');
  } finally {
    await over.stop();
  }
});

it('a proxy may leave the path of the service in what it passes on', async () => {
  for (const path of [
    '/',
    '/packages/h/hello/',
    '/api/v1/openapi.json',
    '/assets/look.css',
    '/data/v1/queues',
    '/no/such',
  ]) {
    const [cut, whole] = [await fetch(`${api.url}${path}`), await fetch(`${api.url}/ci${path}`)];
    expect([path, whole.status, whole.headers.get('content-type')]).toEqual([
      path,
      cut.status,
      cut.headers.get('content-type'),
    ]);
  }
  expect((await fetch(`${api.url}/ci`)).status).toBe(200);
  expect((await fetch(`${api.url}/ci/api/v1/auth`)).status).toBe(403);
  expect((await fetch(`${api.url}/cicd`, { redirect: 'manual' })).status).toBe(404);
  const own = { headers: { 'Auth-Key': api.keys.alice } };
  expect((await fetch(`${api.url}/ci/api/v1/auth`, own)).headers.get('auth-user')).toBe('alice');
});

it('the path of a public address begins like no route', async () => {
  const segments = new Set(api.routes.map((route) => route.split('/')[1] ?? ''));
  const accepted: string[] = [];
  for (const segment of segments) {
    if (segment === '' || /[:*]/.test(segment)) continue;
    await folder.write('proctor.yaml', `api: { publicUrl: "https://ci.example/${segment}" }`);
    const outcome = await loadConfiguration(folder.env).then(
      () => 'accepted',
      () => 'refused',
    );
    if (outcome === 'accepted') accepted.push(segment);
  }
  expect(accepted).toEqual([]);
});

it('below a path, documents say where the service is, and so the script of the pages knows', async () => {
  const document = (await (await alice.get('/ci/api/v1/openapi.json')).json()) as { servers: object[] };
  expect(document.servers).toEqual([{ url: '/ci' }]);
  expect(await alice.textOf('/ci/')).toContain('<body data-base="/ci"');
  expect(await alice.textOf('/ci/robots.txt')).toContain('Disallow: /ci/user/\n');
  expect(await alice.textOf('/ci/data/feeds/all-packages.xml')).toContain(`href="${origin}/ci/`);
});
