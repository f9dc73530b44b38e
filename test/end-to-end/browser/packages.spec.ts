import type { Browser } from 'playwright-core';
import { startApi } from '@test/support/api';
import type { RunningApi } from '@test/support/api';
import { launchChromium, openPage } from '@test/support/chromium';

let api: RunningApi;
let browser: Browser;

beforeAll(async () => {
  [api, browser] = await Promise.all([startApi(), launchChromium()]);
  for (const verdict of ['pass', 'pass', 'tmpfail', 'fail'] as const) {
    const files = { 'log.gz': 'a log', 'artifacts.tar.gz': 'artifacts' };
    await api.finish(await api.submit('hello', { trigger: 'glibc/2.40-4' }), { verdict, files });
  }
  await api.finish(await api.submit('hello-traditional'));
});
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

it('without the script the search is a form, and times are in UTC', async () => {
  const { page } = await openPage(browser, api.url, { javaScriptEnabled: false });
  await page.getByRole('searchbox').fill('hello');
  await page.getByRole('searchbox').press('Enter');
  await page.waitForURL('**/packages/h/hello/');
  expect(await page.locator('time').first().textContent()).toMatch(/ UTC$/);
  await page.context().close();
});

it('the bars of a history show their values by keyboard and under the pointer, and lead to their runs', async () => {
  const { page, faults } = await openPage(browser, `${api.url}/packages/h/hello/bookworm/amd64/`);
  const value = page.locator('.chart figcaption');
  const bars = page.locator('.chart .point');
  await bars.last().focus();
  const newest = await value.textContent();
  await page.keyboard.press('ArrowLeft');
  const before = await value.textContent();
  expect([newest, before]).toEqual([
    expect.stringContaining('fail in'),
    expect.stringContaining('tmpfail in'),
  ]);
  await bars.first().hover();
  expect(await value.textContent()).toContain('pass in');
  await Promise.all([page.waitForURL('**/packages/h/hello/bookworm/amd64/*/'), page.keyboard.press('Enter')]);
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('hello');
  expect(faults).toEqual([]);
  await page.context().close();
});

it('on a phone, without the script, a cell of a trigger has its architecture beside it, and leads to its run', async () => {
  const phone = { javaScriptEnabled: false, viewport: { width: 390, height: 844 } };
  const { page, faults } = await openPage(browser, `${api.url}/triggers/glibc/2.40-4`, phone);
  const cell = page.getByRole('link', { name: 'fail: hello on bookworm/amd64' });
  const labelOf = `getComputedStyle(document.querySelector('.grid td'), '::before').content`;
  const place = await page.evaluate<string>(labelOf);
  const over = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
  expect([place, over]).toEqual(['"amd64"', 0]);
  await Promise.all([page.waitForURL('**/packages/h/hello/bookworm/amd64/*/'), cell.click()]);
  expect(faults).toEqual([]);
  await page.context().close();
});

it('the links of a failure are large enough for a finger, and printed', async () => {
  const { page, faults } = await openPage(browser, `${api.url}/packages/h/hello/`, {
    viewport: { width: 390, height: 844 },
  });
  const ofLinks = <T>(expression: string): Promise<T> =>
    page.evaluate<T>(`[...document.querySelectorAll('.card a')]${expression}`);
  const heights = await ofLinks<number[]>('.map((link) => link.getBoundingClientRect().height)');
  expect(heights.length).toBeGreaterThan(2);
  expect(heights.filter((height) => height < 24)).toEqual([]);
  await page.emulateMedia({ media: 'print' });
  expect(await ofLinks('.every((link) => link.checkVisibility())')).toBe(true);
  expect(await page.getByRole('link', { name: 'Feed of status changes' }).count()).toBe(0);
  expect(faults).toEqual([]);
  await page.context().close();
});

it('an open page shows what has changed, and keeps the focus of its reader', async () => {
  const runId = await api.submit('followed');
  const { page, faults } = await openPage(browser, `${api.url}/packages/f/followed/`);
  await page.getByText('1 run is waiting.').waitFor();
  await page.getByRole('link', { name: 'not tested on trixie/arm64' }).focus();
  await api.finish(runId, { verdict: 'fail', message: 'the unit test failed' });
  await page.getByText('the unit test failed').waitFor();
  const focused = await page.evaluate('document.activeElement.getAttribute("aria-label")');
  expect(focused).toBe('not tested on trixie/arm64');
  expect(faults).toEqual([]);
  await page.context().close();
});
