import { startApi } from '@test/support/api';
import type { RunningApi } from '@test/support/api';
import { Browser } from '@test/support/browser';
import type { Ask, Names } from './private-runs/asks';
import { VIEWS } from './private-runs/view';

let api: RunningApi;
let names: Names;
beforeAll(async () => {
  api = await startApi({ server: { anonymousMayRead: false } });
  const files = { 'log.gz': 'a log', 'artifacts.tar.gz': 'artifacts' };
  const runId = await api.submit('hello', { trigger: 'hello/1' });
  await api.finish(runId, { verdict: 'fail', files });
  await api.submit('waits');
  const at = { name: 'hello', suite: 'bookworm' };
  names = { suites: ['bookworm'], packages: [at], runs: [{ runId, isBobs: false, ...at }] };
  await api.database.users.setPassword('alice', 'of alice');
});
afterAll(() => api.stop());

// The links in mails work without a login: their secret says who reads them.
const OPEN = ['/user/login', '/mail/confirm', '/mail/unsubscribe', '/robots.txt', '/favicon.ico', '/health'];

/** What is there without a key on a server that is open. */
function asks(): Ask[] {
  const all = Object.values(VIEWS).flatMap((of) => of(names));
  return all.filter(({ path }) => !/^\/api\/v1\//.test(path) || path === '/api/v1/openapi.json');
}

const isOpen = ({ path }: Ask): boolean => OPEN.some((open) => path === open || path.startsWith(`${open}/`));
const closed = (): Ask[] => asks().filter((ask) => !isOpen(ask));

async function answers(list: Ask[], headers: Record<string, string>): Promise<unknown[]> {
  const all: unknown[] = [];
  for (const { method, path } of list) {
    const response = await api.fetch(path, { method, headers });
    all.push([path, response.status, response.headers.get('location')]);
    expect([path, (await response.text()).includes('hello')]).toEqual([path, false]);
  }
  return all;
}

it('a closed server leads a browser to the login and back, whatever it asks for', async () => {
  expect(closed().length).toBeGreaterThan(40);
  const led = closed().map(({ path }) => [path, 302, `/user/login?next=${encodeURIComponent(path)}`]);
  expect(await answers(closed(), { Accept: 'text/html' })).toEqual(led);
  expect((await api.fetch('/no-such-thing', { headers: { Accept: 'text/html' } })).status).toBe(302);
});

it('a closed server refuses programs without a valid key, whatever they ask for', async () => {
  const refusals = closed().map(({ path }) => [path, 403, null]);
  expect(await answers(closed(), { 'Auth-Key': 'pk_wrong' })).toEqual(refusals);
  expect(await answers(closed(), { Cookie: 'proctor=s%3Ax.y' })).toEqual(refusals);
});

it('a closed server shows everything to users, and no shared cache keeps it', async () => {
  const browser = new Browser(api.url);
  await browser.logIn('alice', 'of alice');
  const [log] = names.runs.map(({ runId }) => `/data/autopkgtest/bookworm/amd64/h/hello/${runId}/log.gz`);
  const paths = ['/', '/packages/h/hello/', '/data/status/bookworm/amd64/packages.json', log!, '/api/doc'];
  for (const path of paths) {
    const byKey = await api.fetch(path, { headers: { 'Auth-Key': api.keys.bob } });
    const byLogin = await browser.get(path);
    for (const answer of [byKey, byLogin]) {
      expect([path, answer.status, answer.headers.get('cache-control')]).toEqual([
        path,
        200,
        expect.stringMatching(/^private, /),
      ]);
      expect(answer.headers.get('vary')).toMatch(/Cookie, Auth-Key/);
    }
  }
  const url = '/data/status/bookworm/amd64/packages.json';
  const first = await api.fetch(url, { headers: { 'Auth-Key': api.keys.bob } });
  const condition = { 'If-None-Match': first.headers.get('etag')!, 'Cache-Control': 'max-age=0' };
  const again = await api.fetch(url, { headers: { ...condition, 'Auth-Key': api.keys.bob } });
  expect([again.status, (await api.fetch(url, { headers: condition })).status]).toEqual([304, 403]);
});

it('a closed server keeps the door, its own files and its health open', async () => {
  const browser = new Browser(api.url);
  const login = await browser.textOf('/user/login?next=/packages/');
  expect(login).toContain('All pages need a login.');
  expect(login).not.toContain('class="trouble"');
  for (const asset of [...login.matchAll(/(?:href|src)="(\/assets\/[^"#]+)/g)].map(([, path]) => path!))
    expect([asset, (await api.fetch(asset)).status]).toEqual([asset, 200]);
  expect((await api.fetch('/health')).status).toBe(200);
  expect(await (await api.fetch('/robots.txt')).text()).toBe('User-agent: *\nDisallow: /\n');
  const response = await browser.logIn('alice', 'of alice', '/packages/');
  expect(response.headers.get('location')).toBe('/packages/');
  const page = await browser.textOf('/packages/');
  expect([page.includes('alice'), page.includes('class="trouble"')]).toEqual([true, true]);
});
