import { startApi } from '@test/support/api';
import type { RunningApi } from '@test/support/api';
import { Browser, hiddenIn } from '@test/support/browser';
import { connectTo } from '@test/support/database';

let api: RunningApi;
beforeAll(async () => {
  api = await startApi({ server: { passwordGuessesPerHourMax: 4 } });
  await api.database.users.setPassword('alice', 'of alice');
  await api.database.users.add('carol', { isAdmin: false, password: 'of carol' });
  await api.database.users.add('dora', { isAdmin: false, password: 'of dora' });
});
afterAll(() => api.stop());

const COOKIE = 'proctor';

async function loggedIn(name = 'alice'): Promise<Browser> {
  const browser = new Browser(api.url);
  expect((await browser.logIn(name, `of ${name}`)).status).toBe(303);
  return browser;
}

const isIn = async (browser: Browser): Promise<boolean> =>
  (await browser.get('/user/login?next=/in')).status === 302;

async function rows(sql: string): Promise<Record<string, unknown>[]> {
  const client = await connectTo(api.databaseUrl);
  const { rows: sqlRows } = await client.query<Record<string, unknown>>(sql);
  await client.end();
  return sqlRows;
}

it('who wants to request tests is led to the login, and from there to the form', async () => {
  const browser = new Browser(api.url);
  const login = (await browser.get('/-/request')).headers.get('location');
  expect(login).toBe('/user/login?next=%2F-%2Frequest');
  expect((await (await loggedIn()).get('/-/request')).headers.get('location')).toBe('/user/alice/test');
  const redirect = await browser.get('/-/request?package=hello&arch=amd64');
  expect(redirect.headers.get('location')).toBe(
    '/user/login?next=%2F-%2Frequest%3Fpackage%3Dhello%26arch%3Damd64',
  );
});

it('the login leads back to where it came from, and the browser stays logged in', async () => {
  const browser = new Browser(api.url);
  const response = await browser.logIn('alice', 'of alice', '/status/?suite=trixie');
  expect([response.status, response.headers.get('location')]).toEqual([303, '/status/?suite=trixie']);
  const [cookie = ''] = response.headers.getSetCookie();
  expect(cookie).toMatch(/; Path=\/; Max-Age=\d+; Expires=[^;]+; HttpOnly; SameSite=Lax$/);
  const again = await browser.get('/user/login?next=/status/');
  expect([again.status, again.headers.get('location')]).toEqual([302, '/status/']);
});

it.each(['//evil.example', '/\\evil.example', 'https://evil.example/', '/user/logout'])(
  'the login leads to the first page where %s is wanted',
  async (next) => {
    const response = await new Browser(api.url).logIn('alice', 'of alice', next);
    expect([response.status, response.headers.get('location')]).toEqual([303, '/']);
    const already = await (await loggedIn()).get(`/user/login?next=${encodeURIComponent(next)}`);
    expect(already.headers.get('location')).toBe('/');
  },
);

it('the login does not show which users exist', async () => {
  const wrong = await new Browser(api.url).logIn('alice', 'wrong');
  const unknown = await new Browser(api.url).logIn('ghost', 'wrong');
  const [first, second] = await Promise.all([wrong.text(), unknown.text()]);
  expect([wrong.status, unknown.status]).toEqual([403, 403]);
  expect(first).toContain('The user name or the password is wrong.');
  const plain = (html: string): string => html.replaceAll(/value="[^"]*"/g, '');
  expect(plain(second)).toBe(plain(first));
});

it('the login is slowed down where passwords are guessed, for the right one too', async () => {
  const browser = new Browser(api.url);
  for (let tries = 0; tries < 4; tries++)
    expect((await browser.logIn('carol', `no ${tries}`)).status).toBe(403);
  const refusal = await browser.logIn('carol', 'of carol');
  expect(refusal.status).toBe(429);
  expect(Number(refusal.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await refusal.text()).toContain('Too many wrong passwords. Try again in about\u00a01\u00a0h.');
});

it('a session has another id after the login, so that one that was fixed before leads nowhere', async () => {
  const [attacker, victim] = [new Browser(api.url), new Browser(api.url)];
  await attacker.get('/user/login');
  const fixed = attacker.cookie(COOKIE)!;
  victim.set(COOKIE, fixed);
  expect((await victim.logIn('alice', 'of alice')).status).toBe(303);
  expect(victim.cookie(COOKIE)).not.toBe(fixed);
  expect([await isIn(victim), await isIn(attacker)]).toEqual([true, false]);
});

it('a session is over at the logout, also for a copy of its cookie', async () => {
  const browser = await loggedIn();
  const copy = new Browser(api.url);
  copy.set(COOKIE, browser.cookie(COOKIE)!);
  expect(await isIn(copy)).toBe(true);
  const form = hiddenIn(await browser.textOf('/user/alice'));
  const response = await browser.post('/user/logout', { form_token: form['form_token'] ?? '' });
  expect([response.status, response.headers.get('location')]).toEqual([303, '/']);
  expect(browser.cookie(COOKIE)).toBeUndefined();
  expect(await isIn(copy)).toBe(false);
});

it('a session is over when the password of its user is changed', async () => {
  const browser = await loggedIn('dora');
  await api.database.users.setPassword('dora', 'another');
  expect(await isIn(browser)).toBe(false);
});

it('a session is kept by the digest of its id, and its cookie cannot be made up', async () => {
  const browser = await loggedIn();
  const id = decodeURIComponent(browser.cookie(COOKIE)!).slice(2).split('.')[0]!;
  expect(JSON.stringify(await rows('select * from sessions'))).not.toContain(id);
  const [session] = await rows('select sid from sessions limit 1');
  for (const cookie of [`s%3A${id}.x`, `s:${String(session!['sid'])}`, id, 'x'.repeat(5_000)]) {
    const other = new Browser(api.url);
    other.set(COOKIE, cookie);
    expect(await isIn(other)).toBe(false);
  }
});

it.each([
  ['another site', { 'Sec-Fetch-Site': 'cross-site', Origin: 'http://evil.example' }],
  ['another host of the same site', { 'Sec-Fetch-Site': 'same-site' }],
  ['another site, as an old browser says it', { Origin: 'http://evil.example' }],
  ['a page without an origin', { Origin: 'null' }],
  ['nowhere that is known', {}],
])('a form from %s is refused, whatever its token', async (_case, headers) => {
  const browser = new Browser(api.url);
  const fields = hiddenIn(await browser.textOf('/user/login'));
  const values = { ...fields, name: 'alice', password: 'of alice' };
  const refusal = await browser.post('/user/login', values, headers);
  expect(refusal.status).toBe(403);
  expect(await isIn(browser)).toBe(false);
});

it('a header with another host’s name does not make a form one of that host', async () => {
  const browser = new Browser(api.url);
  const fields = hiddenIn(await browser.textOf('/user/login'));
  const values = { ...fields, name: 'alice', password: 'of alice' };
  const forwarded = { 'X-Forwarded-Host': 'evil.example', Forwarded: 'host=evil.example' };
  const response = await browser.post('/user/login', values, { ...forwarded, Origin: 'http://evil.example' });
  expect(response.status).toBe(403);
});

it('a form of an old browser is taken by its origin', async () => {
  const browser = new Browser(api.url);
  const fields = hiddenIn(await browser.textOf('/user/login'));
  const values = { ...fields, name: 'alice', password: 'of alice' };
  expect((await browser.post('/user/login', values, { Origin: api.url })).status).toBe(303);
});

it.each([
  ['no token', (): Record<string, string> => ({})],
  ['an empty token', () => ({ form_token: '' })],
  ['the token of another session', (other: string) => ({ form_token: other })],
])('a form with %s is refused', async (_case, tokenOf) => {
  const other = hiddenIn(await new Browser(api.url).textOf('/user/login'))['form_token']!;
  const browser = new Browser(api.url);
  await browser.get('/user/login');
  const values = { name: 'alice', password: 'of alice', ...tokenOf(other) };
  const refusal = await browser.post('/user/login', values);
  expect([refusal.status, await isIn(browser)]).toEqual([403, false]);
  expect(await refusal.text()).toContain('The form is too old');
});

it('anonymous pages set no cookie, and pages of a session are kept by no cache', async () => {
  const anonymous = await new Browser(api.url).get('/packages/');
  expect(anonymous.headers.getSetCookie()).toEqual([]);
  expect(anonymous.headers.get('vary')).toContain('Cookie');
  const browser = await loggedIn();
  const own = await browser.get('/packages/', { 'If-None-Match': anonymous.headers.get('etag') ?? 'x' });
  expect([own.status, own.headers.get('cache-control')]).toEqual([200, 'private, no-store']);
  expect([own.headers.get('etag'), own.headers.get('last-modified')]).toEqual([null, null]);
});

it('a cookie opens nothing of the API', async () => {
  const browser = await loggedIn();
  for (const path of ['/api/v1/auth', '/api/v1/test?since=0', '/api/v1/packages', '/api/v1/admin/decisions'])
    expect([path, (await browser.get(path)).status]).toEqual([path, 403]);
  const post = await browser.post('/api/v1/test/bookworm/amd64/hello', {});
  expect(post.status).toBe(403);
});

it('logins are written down with the name, the network and how they ended', async () => {
  const browser = await loggedIn();
  await new Browser(api.url).logIn('mallory', 'guess');
  await browser.post('/user/logout', hiddenIn(await browser.textOf('/user/alice')));
  const sessions = await rows(
    'select action, user_name, address from audit_entries order by entry_id desc limit 3',
  );
  expect(sessions).toEqual([
    { action: 'logout', user_name: 'alice', address: '127.0.0.1' },
    { action: 'login-refused', user_name: 'mallory', address: '127.0.0.1' },
    { action: 'login', user_name: 'alice', address: '127.0.0.1' },
  ]);
});

describe('behind a proxy with HTTPS', () => {
  let behind: RunningApi;
  beforeAll(async () => {
    const server = { publicUrl: 'https://ci.example.org', trustedProxies: ['loopback'] };
    behind = await startApi({ server });
    await behind.database.users.setPassword('alice', 'of alice');
  });
  afterAll(() => behind.stop());

  it('behind a proxy with HTTPS, the cookie is for HTTPS alone', async () => {
    const browser = new Browser(behind.url);
    const secure = { 'X-Forwarded-Proto': 'https', 'Sec-Fetch-Site': 'same-origin' };
    const page = await browser.get('/user/login', secure);
    const values = { ...hiddenIn(await page.text()), name: 'alice', password: 'of alice' };
    const response = await browser.post('/user/login', values, secure);
    expect(response.status).toBe(303);
    const [cookie = ''] = response.headers.getSetCookie();
    expect(cookie).toMatch(
      /^__Host-proctor=[^;]+; Path=\/; Max-Age=\d+; Expires=[^;]+; HttpOnly; Secure; SameSite=Lax$/,
    );
  });

  it('behind a proxy with HTTPS, a form of an old browser is taken from the public address alone', async () => {
    const browser = new Browser(behind.url);
    const proxied = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'evil.example' };
    const page = await browser.get('/user/login', proxied);
    const values = { ...hiddenIn(await page.text()), name: 'alice', password: 'of alice' };
    const statuses: number[] = [];
    for (const Origin of [
      'https://evil.example',
      behind.url,
      'http://ci.example.org',
      'https://ci.example.org',
    ])
      statuses.push((await browser.post('/user/login', values, { ...proxied, Origin })).status);
    expect(statuses).toEqual([403, 403, 403, 303]);
  });

  it('behind a proxy with HTTPS, the login in the clear says what is missing', async () => {
    const response = await new Browser(behind.url).get('/user/login');
    expect([response.status, response.headers.getSetCookie()]).toEqual([400, []]);
    expect(await response.text()).toContain('The login goes over HTTPS');
  });
});
