import type { Browser } from 'playwright-core';
import { startApi } from '@test/support/api';
import type { RunningApi } from '@test/support/api';
import { accessibilityFaults, launchChromium, openPage } from '@test/support/chromium';

/** A relay that nothing is sent to: without an address of the service there are no links for a mail. */
const MAIL = { host: '127.0.0.1', port: 9, tls: 'none', sender: 'ci@example.org', timeoutMs: 1_000 } as const;

let api: RunningApi;
let browser: Browser;

beforeAll(async () => {
  [api, browser] = await Promise.all([startApi({ server: { mail: MAIL } }), launchChromium()]);
  await api.database.users.setPassword('alice', 'of alice');
  await api.finish(await api.submit('hello-traditional'));
  for (const verdict of ['pass', 'fail', 'fail'] as const)
    await api.finish(await api.submit('hello'), { verdict });
  while (await api.database.statusProjection.step('amd64'));
});
afterAll(async () => {
  await browser?.close();
  await api?.stop();
});

async function loggedIn(path: string, options = {}) {
  const login = `${api.url}/user/login?next=${encodeURIComponent(path)}`;
  const opened = await openPage(browser, login, options);
  await opened.page.getByLabel('User name').fill('alice');
  await opened.page.getByLabel('Password').fill('of alice');
  await Promise.all([opened.page.waitForURL(`**${path}`), opened.page.keyboard.press('Enter')]);
  return opened;
}

it('a form that is filled in shows what it would do, with suggestions, by keyboard, and then requests it', async () => {
  const { page, faults } = await loggedIn('/user/alice/test');
  await page.getByLabel('Source packages').focus();
  await page.keyboard.type('tradi');
  await page.getByRole('option', { name: 'hello-traditional' }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.keyboard.type('Bad');
  expect(await page.getByLabel('Source packages').inputValue()).toBe('hello-traditional\nBad');
  await page.getByText('Choose a suite.').waitFor();
  for (const name of ['bookworm', 'trixie', 'amd64'])
    await page.locator('form[data-preview]').getByLabel(name, { exact: true }).press('Space');
  await page.getByText('2 runs would be requested, 2 ignored.').waitFor();
  await page.getByText('The same request with curl').click();
  expect(await page.locator('#preview pre').first().textContent()).toContain('"hello-traditional"');
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Request', exact: true }).press('Enter');
  await page.getByRole('heading', { name: '2 runs were requested' }).waitFor();
  expect(faults).toEqual([]);
  await page.context().close();
});

it('without the script the form has its preview behind a button', async () => {
  const { page } = await loggedIn('/user/alice/test', { javaScriptEnabled: false });
  await page.getByLabel('Source packages').fill('hello');
  await page.locator('form[data-preview]').getByLabel('trixie', { exact: true }).check();
  await page.locator('form[data-preview]').getByLabel('arm64', { exact: true }).check();
  await page.getByRole('button', { name: 'Preview' }).click();
  await page.getByText('One run would be requested.').waitFor();
  expect(await page.getByLabel('Source packages').inputValue()).toBe('hello');
  await page.context().close();
});

it.each([true, false])(
  'a reader chooses how pages look by keyboard, with the script: %p',
  async (javaScriptEnabled) => {
    const { page, faults } = await openPage(browser, `${api.url}/status/bookworm/amd64/?status=fail`, {
      colorScheme: 'light',
      javaScriptEnabled,
    });
    const back = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    const form = page.getByRole('form', { name: 'Colours' });
    const light = await back();
    expect(await form.getByRole('button', { name: '✓' }).textContent()).toBe('System');
    await form.getByRole('button', { name: 'Dark' }).press('Enter');
    await form.getByRole('button', { name: 'Dark ✓' }).waitFor();
    expect(page.url()).toBe(`${api.url}/status/bookworm/amd64/?status=fail`);
    const dark = await back();
    expect(dark).not.toBe(light);
    await page.goto(`${api.url}/status/`);
    expect(await back()).toBe(dark);
    await page.emulateMedia({ colorScheme: 'dark' });
    await form.getByRole('button', { name: 'Light' }).press('Space');
    await form.getByRole('button', { name: 'Light ✓' }).waitFor();
    expect(await back()).toBe(light);
    await form.getByRole('button', { name: 'System' }).press('Enter');
    await form.getByRole('button', { name: 'System ✓' }).waitFor();
    expect(await back()).toBe(dark);
    expect(faults).toEqual([]);
    await page.context().close();
  },
);

it('keyboard shortcuts are shown by a key and a button, and stay switched off in this browser', async () => {
  const { page, faults } = await openPage(browser, `${api.url}/packages/`);
  const search = page.locator('#search');
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByLabel('Use shortcuts').uncheck();
  await page.getByRole('button', { name: 'Close' }).click();
  await page.reload();
  await page.keyboard.press('/');
  await page.keyboard.press('?');
  expect(await search.evaluate((input) => input === input.ownerDocument.activeElement)).toBe(false);
  expect(await page.getByRole('dialog').count()).toBe(0);
  await page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
  await page.getByLabel('Use shortcuts').check();
  await page.keyboard.press('Escape');
  await page.keyboard.press('/');
  expect(await search.evaluate((input) => input === input.ownerDocument.activeElement)).toBe(true);
  expect(faults).toEqual([]);
  await page.context().close();
});

it.each([
  { width: 1280, colorScheme: 'light' as const },
  { width: 360, colorScheme: 'dark' as const },
])(
  'a user’s own pages can be read by everybody, $width pixels wide and $colorScheme',
  async ({ width, colorScheme }) => {
    const { page } = await loggedIn('/user/alice/packages', {
      viewport: { width, height: 800 },
      colorScheme,
    });
    await page.getByLabel('Source packages').fill('hello*');
    await page.getByRole('button', { name: 'Follow', exact: true }).click();
    await page.getByRole('button', { name: 'Remove hello*' }).waitFor();
    await page.getByLabel('Address').fill('ada@localhost');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Must be one address, such as ada@example.org.').waitFor();
    expect(await page.getByLabel('Address').inputValue()).toBe('ada@localhost');
    const faults: unknown[] = [];
    for (const path of ['packages', 'jobs?tick=all', 'test?packages=hello&suite=trixie&arch=amd64']) {
      await page.goto(`${api.url}/user/alice/${path}`);
      if (path.startsWith('test')) await page.getByText('would be requested.').waitFor();
      const over = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      if (over > 0) faults.push(`${path} is wider than the screen by ${over}`);
      faults.push(...(await accessibilityFaults(page)).map((fault) => `${path} ${fault}`));
    }
    expect(faults).toEqual([]);
    await page.context().close();
  },
);
