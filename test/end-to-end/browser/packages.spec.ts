import type { Browser } from 'playwright-core';
import { startApi } from '../../support/api';
import type { RunningApi } from '../../support/api';
import { launchChromium, openPage } from '../../support/chromium';

let api: RunningApi;
let browser: Browser;

beforeAll(async () => {
  [api, browser] = await Promise.all([startApi(), launchChromium()]);
  for (const verdict of ['pass', 'pass', 'tmpfail', 'fail'] as const) {
    const files = { 'log.gz': 'a log', 'artifacts.tar.gz': 'artifacts' };
    await api.finish(await api.submit('hello', { trigger: 'glibc/2.40-4' }), { verdict, files });
  }
  await api.finish(await api.submit('hello-traditional'));
}, 60_000);
afterAll(async () => {
  await browser?.close();
  await api?.stop();
});

it('a package is found by keyboard: a key leads to the search, and a suggestion to its page', async () => {
  const { page, faults } = await openPage(browser, api.url);
  await page.keyboard.press('/');
  await page.keyboard.type('trad');
  await page.getByRole('option', { name: 'hello-traditional' }).waitFor();
  await page.keyboard.press('ArrowDown');
  await Promise.all([page.waitForURL('**/packages/h/hello-traditional/'), page.keyboard.press('Enter')]);
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('hello-traditional');
  expect(faults).toEqual([]);
  await page.context().close();
});

it('without the script the search is a form, and times are told in UTC', async () => {
  const { page } = await openPage(browser, api.url, { javaScriptEnabled: false });
  await page.getByRole('searchbox').fill('hello');
  await page.getByRole('searchbox').press('Enter');
  await page.waitForURL('**/packages/h/hello/');
  expect(await page.locator('time').first().textContent()).toMatch(/ UTC$/);
  await page.context().close();
});

it('an open page shows what has changed, and keeps the focus of its reader', async () => {
  const runId = await api.submit('followed');
  const { page, faults } = await openPage(browser, `${api.url}/packages/f/followed/`);
  await page.getByText('1 run waits.').waitFor();
  await page.getByRole('link', { name: 'not tested on trixie/arm64' }).focus();
  await api.finish(runId, { verdict: 'fail', message: 'the unit test failed' });
  await page.getByText('the unit test failed').waitFor();
  const focused = await page.evaluate('document.activeElement.getAttribute("aria-label")');
  expect(focused).toBe('not tested on trixie/arm64');
  expect(faults).toEqual([]);
  await page.context().close();
});

it('a long log is read by anchors, search and keys', async () => {
  const own = (text: string): string => `autopkgtest [12:34:56]: ${text}\n`;
  const lines = Array.from({ length: 60_000 }, (_none, index) => `${index + 1} ${'words '.repeat(8)}\n`);
  const log =
    `${own('@@@@@@@@@@@@@@@@@@@@ apt-source')}the needle\n` +
    `${own('test upstream: [-----------------------')}${lines.join('')}error: it broke\n` +
    `${own('test upstream:  - - - - - - - - - - results - - - - - - - - - -')}upstream   FAIL badly\n`;
  const runId = await api.submit('long');
  await api.finish(runId, { verdict: 'fail', files: { 'log.gz': log } });
  const url = `${api.url}/packages/l/long/bookworm/amd64/${runId}/log`;
  const { page, faults } = await openPage(browser, url);
  const chosen = page.locator('#log-lines .chosen');
  expect(await page.locator('#log-lines *').count()).toBeLessThan(10_000);
  await page.keyboard.press('n');
  expect(await page.locator('mark.here').textContent()).toBe('error: it broke');
  // Its lines are on another part of the page's log.
  await page.goto(`${url}#L30000-L30002`);
  await chosen.first().waitFor();
  expect(await chosen.allTextContents()).toEqual(['30000', '30001', '30002']);
  await page.getByRole('searchbox', { name: 'Search this log' }).fill('NEEDLE');
  await page.getByRole('button', { name: 'Search', exact: true }).last().click();
  await page.getByRole('link', { name: 'Line 2', exact: true }).click();
  await page.locator('#L2.chosen').waitFor();
  expect(await page.locator('details:has(#L2)').getAttribute('open')).toBe('');
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  await page.keyboard.press('Escape');
  expect(await page.getByRole('dialog').isVisible()).toBe(false);
  expect(faults).toEqual([]);
  await page.context().close();
});
