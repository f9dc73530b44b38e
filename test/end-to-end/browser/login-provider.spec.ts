import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProviderSection } from '@proctor/config';
import type { Browser as Chromium } from 'playwright-core';
import { startApi } from '@test/support/api';
import type { RunningApi } from '@test/support/api';
import { Browser, hiddenIn } from '@test/support/browser';
import { accessibilityFaults, launchChromium, openPage } from '@test/support/chromium';
import { connectTo } from '@test/support/database';
import { LoginProvider, type Person } from '@test/support/login-provider';
import { until } from '@test/support/until';

const SECRET = 'a secret: with signs & such';
const providers: ProviderSection[] = [];
const login = {
  password: true,
  passwordPolicy: { lengthMin: 12, ownCharactersMin: 8, differentCharactersMin: 5 },
  providerWaitMs: 30_000,
  providers,
};

let api: RunningApi;
let provider: LoginProvider;
let chromium: Chromium;
let folder: string;

beforeAll(async () => {
  [api, chromium, folder] = await Promise.all([
    startApi({ server: { login } }),
    launchChromium(),
    mkdtemp(join(tmpdir(), 'proctor-login-')),
  ]);
  const file = join(folder, 'secret');
  await writeFile(file, `${SECRET}\n`);
  provider = await LoginProvider.start(SECRET, `${api.url}/user/login/example/callback`);
  providers.push({
    id: 'example',
    label: 'Example & Co',
    issuer: provider.issuer,
    clientId: 'proctor',
    clientSecretFile: file,
    scopes: ['openid', 'profile', 'groups'],
    nameClaim: 'preferred_username',
    mayLogIn: { claim: 'groups', values: ['developers', 'admins'] },
    administrators: { claim: 'groups', values: ['admins'] },
  });
  await api.database.users.setPassword('alice', 'of alice');
});
afterAll(async () => {
  await chromium?.close();
  await provider?.stop();
  await api?.stop();
  await rm(folder, { recursive: true, force: true });
});

const START = '/user/login/example';

/** Where a browser is sent to log in. */
async function begin(browser: Browser, next = '/'): Promise<URL> {
  const response = await browser.get(`${START}?next=${encodeURIComponent(next)}`);
  expect(response.status).toBe(302);
  return new URL(response.headers.get('location')!);
}

/** @param change of the address that the provider is asked by */
async function callback(
  browser: Browser,
  who: Person | null,
  next = '/',
  change = (url: URL) => url,
): Promise<URL> {
  return new URL(await provider.visit(change(await begin(browser, next)).href, who));
}

const pathOf = (url: URL): string => url.pathname + url.search;

async function logIn(who: Person, next = '/', browser = new Browser(api.url)): Promise<[Browser, Response]> {
  return [browser, await browser.get(pathOf(await callback(browser, who, next)))];
}

const nameOf = async (browser: Browser): Promise<string | null> =>
  /<a href="\/user\/(?!login)([^"/?]+)"/.exec(await browser.textOf('/packages/'))?.[1] ?? null;

async function expectRefused(browser: Browser, path: string, status: number, text: string): Promise<void> {
  const response = await browser.get(path);
  const html = await response.text();
  expect([response.status, html.includes(text) || html]).toEqual([status, true]);
  expect(html).toContain('action="/user/login"');
  expect(await nameOf(browser)).toBeNull();
}

it('people log in at their provider in a browser, come back to where they were, and log out there too', async () => {
  const runId = await api.submit('hello');
  await api.finish(runId, { verdict: 'fail' });
  const retry = `${api.url}/api/v1/retry/${runId}`;
  await provider.knows(['7', 'dana', 'developers']);
  const { page, faults } = await openPage(chromium, retry);
  expect(await accessibilityFaults(page)).toEqual([]);
  expect(faults).toEqual([]);
  await page.getByRole('link', { name: 'Log in with Example & Co' }).click();
  await page.getByPlaceholder('Enter any login').fill('7');
  await page.getByPlaceholder('and password').fill('any');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.waitForURL(retry);
  await page.getByRole('link', { name: 'dana', exact: true }).click();
  await page.getByRole('button', { name: 'Log out' }).click();
  await page.getByText('You may still be logged in at Example & Co').waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole('link', { name: 'Log out of Example & Co too' }).click();
  await page.getByText('Do you want to sign-out').waitFor();
  await page.goto(`${api.url}/user/dana`);
  expect(new URL(page.url()).pathname).toBe('/user/login');
  await page.context().close();
});

it.each([
  { width: 1280, colorScheme: 'light' as const },
  { width: 360, colorScheme: 'dark' as const },
])('a key is made, read and revoked, $width pixels wide and $colorScheme', async ({ width, colorScheme }) => {
  const options = { viewport: { width, height: 800 }, colorScheme };
  const next = encodeURIComponent('/user/alice/keys');
  const { page, faults } = await openPage(chromium, `${api.url}/user/login?next=${next}`, options);
  await page.getByLabel('User name').fill('alice');
  await page.getByLabel('Password').fill('of alice');
  await page.getByRole('button', { name: 'Log in' }).click();
  const name = `${'a-machine-with-a-long-name-'.repeat(3)}${width}`;
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByRole('button', { name: 'Create key' }).click();
  const key = (await page.locator('#secret').textContent())!;
  expect((await api.api('/auth', {}, key)).status).toBe(200);
  const row = page.getByRole('row').filter({ hasText: name });
  // Its use is written down after the answer.
  const showsUse = async (): Promise<boolean> => {
    await page.goto(`${api.url}/user/alice/keys`);
    return /pk_\w+….*(now|ago).*(now|ago)/s.test((await row.textContent())!);
  };
  expect(await until(showsUse)).toBe(true);
  expect(
    await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth'),
  ).toBeLessThanOrEqual(0);
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole('button', { name: `Revoke ${name}` }).click();
  await row.waitFor({ state: 'detached' });
  expect((await api.api('/auth', {}, key)).status).toBe(403);
  expect(faults).toEqual([]);
  await page.context().close();
});

it('a provider is asked with all that proves its answer', async () => {
  const url = await begin(new Browser(api.url));
  const { state, nonce, code_challenge: challenge, ...rest } = Object.fromEntries(url.searchParams);
  expect(rest).toEqual({
    client_id: 'proctor',
    response_type: 'code',
    scope: 'openid profile groups',
    redirect_uri: `${api.url}/user/login/example/callback`,
    code_challenge_method: 'S256',
  });
  expect([state, nonce, challenge].map((text) => text!.length)).toEqual([43, 43, 43]);
});

it.each([
  ['/status/?suite=trixie', '/status/?suite=trixie'],
  ['//evil.example', '/'],
  ['https://evil.example/', '/'],
  ['/\\evil.example', '/'],
  ['/user/logout', '/'],
])('after a login at a provider with next=%s a browser is led to %s', async (next, led) => {
  const [browser, response] = await logIn(['8', 'emil', 'developers'], next);
  expect([response.status, response.headers.get('location')]).toEqual([302, led]);
  expect(response.headers.get('cache-control')).toBe('private, no-store');
  expect(await nameOf(browser)).toBe('emil');
  const again = await browser.get(`${START}?next=${encodeURIComponent(next)}`);
  expect(again.headers.get('location')).toBe(led);
});

it('the provider’s subject decides which user it is, whatever the name', async () => {
  const [first] = await logIn(['9', 'frida', 'developers']);
  const [renamed] = await logIn(['9', 'frida-new', 'developers']);
  const [namesake] = await logIn(['10', 'frida', 'developers']);
  const [local] = await logIn(['11', 'alice', 'developers']);
  expect([await nameOf(first), await nameOf(renamed)]).toEqual(['frida', 'frida']);
  expect([await nameOf(namesake), await nameOf(local)]).toEqual(['frida-2', 'alice-2']);
});

it('an administrator is who has a value that makes one, at each login', async () => {
  const [browser] = await logIn(['12', 'gerd', 'admins']);
  expect(await browser.textOf('/user/gerd')).toContain('as an administrator');
  await logIn(['12', 'gerd', 'developers']);
  expect(await browser.textOf('/user/gerd')).not.toContain('as an administrator');
  const client = await connectTo(api.databaseUrl);
  const { rows } = await client.query<object>(
    `select action, subject, detail, address from audit_entries where user_name = 'gerd' order by entry_id`,
  );
  await client.end();
  const address = '127.0.0.1';
  const login = { action: 'login', subject: 'provider example', detail: null, address };
  expect(rows).toEqual([
    { action: 'user-added', subject: 'user gerd', detail: 'by provider example, an administrator', address },
    login,
    { action: 'administrator-dismissed', subject: 'user gerd', detail: 'by provider example', address },
    login,
  ]);
});

it('who has no value that lets them in stays outside, and it is written down', async () => {
  const browser = new Browser(api.url);
  const path = pathOf(await callback(browser, ['13', 'mallory', 'guests']));
  await expectRefused(browser, path, 403, 'confirmed who you are, but you may not log in here');
  expect(await api.database.users.find('mallory')).toBeNull();
  const client = await connectTo(api.databaseUrl);
  const { rows } = await client.query<object>(`select action from audit_entries where user_name = 'mallory'`);
  await client.end();
  expect(rows).toEqual([{ action: 'login-refused' }]);
});

it('a user who turns back at the provider gets a page that says so', async () => {
  const browser = new Browser(api.url);
  const path = pathOf(await callback(browser, null));
  await expectRefused(browser, path, 403, 'Example &amp; Co has not let you in (access_denied).');
});

describe('an answer of a provider that is not to this login is refused', () => {
  const NOT_BEGUN = 'This login started in another browser';
  const NOT_OURS = 'does not belong to this login';
  const who: Person = ['14', 'hanna', 'developers'];

  it('an answer with another state is refused', async () => {
    const browser = new Browser(api.url);
    const url = await callback(browser, who);
    url.searchParams.set('state', 'x'.repeat(43));
    await expectRefused(browser, pathOf(url), 403, NOT_BEGUN);
    url.searchParams.delete('state');
    await expectRefused(browser, pathOf(url), 403, NOT_BEGUN);
  });

  it('an answer in another browser is refused, with a session or without', async () => {
    const url = await callback(new Browser(api.url), who);
    const other = new Browser(api.url);
    await expectRefused(other, pathOf(url), 403, NOT_BEGUN);
    await begin(other);
    await expectRefused(other, pathOf(url), 403, NOT_BEGUN);
  });

  it('an answer that was used is refused', async () => {
    const browser = new Browser(api.url);
    const url = await callback(browser, who);
    const session = browser.cookie('proctor')!;
    expect((await browser.get(pathOf(url))).status).toBe(302);
    const before = new Browser(api.url);
    before.set('proctor', session);
    await expectRefused(before, pathOf(url), 403, NOT_BEGUN);
  });

  it('an answer that was used is refused for its code, too', async () => {
    const [one, two] = [new Browser(api.url), new Browser(api.url)];
    const used = await callback(one, who);
    expect((await one.get(pathOf(used))).status).toBe(302);
    const url = await callback(two, who);
    url.searchParams.set('code', used.searchParams.get('code')!);
    await expectRefused(two, pathOf(url), 403, NOT_OURS);
  });

  it.each([
    ['nonce', 'y'.repeat(43)],
    ['code_challenge', 'z'.repeat(43)],
  ])('an answer to a question with another %s is refused', async (parameter, value) => {
    const browser = new Browser(api.url);
    const url = await callback(browser, who, '/', (address) => {
      address.searchParams.set(parameter, value);
      return address;
    });
    await expectRefused(browser, pathOf(url), 403, NOT_OURS);
  });

  it('an answer in the name of another issuer is refused', async () => {
    const browser = new Browser(api.url);
    const url = await callback(browser, who);
    url.searchParams.set('iss', 'https://evil.example');
    await expectRefused(browser, pathOf(url), 403, NOT_OURS);
  });
});

it('a session has another id after the login at a provider, so that one that was fixed before leads nowhere', async () => {
  const [attacker, victim] = [new Browser(api.url), new Browser(api.url)];
  await attacker.get('/user/login');
  victim.set('proctor', attacker.cookie('proctor')!);
  await logIn(['15', 'ida', 'developers'], '/', victim);
  expect([await nameOf(victim), await nameOf(attacker)]).toEqual(['ida', null]);
});

it('a provider that is not configured has no login', async () => {
  for (const path of ['/user/login/other', '/user/login/other/callback?code=x&state=y'])
    expect((await new Browser(api.url).get(path)).status).toBe(404);
});

it('while a provider is away its login says so, and passwords let people in', async () => {
  const away = await LoginProvider.start('x', `${api.url}/user/login/away/callback`);
  await away.stop();
  providers.push({ ...providers[0]!, id: 'away', label: 'Away', issuer: away.issuer });
  try {
    const browser = new Browser(api.url);
    await expectRefused(browser, '/user/login/away?next=/status/', 503, 'Away cannot be reached.');
    const html = await browser.textOf('/user/login/away?next=/status/');
    expect(html).toContain('href="/user/login/example?next=%2Fstatus%2F"');
    const fields = hiddenIn(html);
    const response = await browser.post('/user/login', { ...fields, name: 'alice', password: 'of alice' });
    expect([response.status, response.headers.get('location')]).toEqual([303, '/status/']);
  } finally {
    providers.pop();
  }
});

it('passwords are taken nowhere where they are switched off', async () => {
  login.password = false;
  try {
    const browser = new Browser(api.url);
    const html = await browser.textOf('/user/login');
    expect([html.includes('name="password"'), html.includes('Log in with Example')]).toEqual([false, true]);
    const form = hiddenIn(await browser.textOf('/user/login'));
    expect((await browser.post('/user/login', { ...form, name: 'alice', password: 'of alice' })).status).toBe(
      403,
    );
    const basic = { Authorization: `Basic ${btoa('alice:of alice')}` };
    expect((await api.fetch('/api/v1/keys', { headers: basic })).status).toBe(403);
  } finally {
    login.password = true;
  }
});
