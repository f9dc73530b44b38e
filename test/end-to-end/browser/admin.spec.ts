import type { Browser } from 'playwright-core';
import { startApi } from '@test/support/api';
import type { RunningApi } from '@test/support/api';
import { accessibilityFaults, launchChromium, openPage } from '@test/support/chromium';

let api: RunningApi;
let browser: Browser;
beforeAll(async () => {
  [api, browser] = await Promise.all([startApi(), launchChromium()]);
  await api.database.users.add('root', { isAdmin: true, password: 'of root' });
  await api.submit('linux-signed');
  const by = { userId: 1, userName: 'alice' };
  const worker = {
    name: 'w1',
    publicKey: `U${'A'.repeat(55)}`,
    architectures: ['amd64'],
    mayRunPrivate: false,
  };
  await api.database.workerRegister.add(worker, by);
  await api.database.decisions.pause({ suite: 'trixie', arch: null }, by, 'the mirror is broken');
  await api.database.decisions.drain('w1', by, 'new disks');
});
afterAll(async () => {
  await browser?.close();
  await api?.stop();
});

it.each([
  ['light', 1280],

  ['dark', 360],
] as const)('the pages for administrators are accessible in %s at %i px', async (colorScheme, width) => {
  const { page, faults } = await openPage(browser, `${api.url}/user/login?next=/admin/`, {
    colorScheme,
    viewport: { width, height: 900 },
  });
  await page.getByLabel('User name').fill('root');
  await page.getByLabel('Password').fill('of root');
  await Promise.all([page.waitForURL(`${api.url}/admin/`), page.keyboard.press('Enter')]);
  await page.waitForLoadState('load');
  const allFaults: unknown[] = [];
  for (const path of [
    '/admin/',
    '/admin/users/',
    '/admin/users/root',
    '/admin/keys/',
    '/admin/workers/',
    '/status/workers/w1',
    '/status/queue/',
    '/admin/packages/?package=linux-signed',
    '/admin/configuration/',
    '/admin/audit/',
    '/user/root/keys',
    '/user/root/webhooks',
  ]) {
    await page.goto(`${api.url}${path}`);
    allFaults.push(...(await accessibilityFaults(page)).map((fault) => [path, fault]));
    const wide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
    if (wide) allFaults.push([path, 'wide']);
  }
  expect(allFaults).toEqual([]);
  expect(faults).toEqual([]);
  await page.context().close();
});
