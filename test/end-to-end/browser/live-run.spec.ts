import type { Browser, Locator, Page } from 'playwright-core';
import { type RunningApi, startApi } from '@test/support/api';
import { accessibilityFaults, launchChromium, openPage } from '@test/support/chromium';
import { LiveRun } from '@test/support/live-run';

const PHONE = { width: 390, height: 844 };

let api: RunningApi;
let browser: Browser;

beforeAll(async () => {
  [api, browser] = await Promise.all([startApi(), launchChromium()]);
});
afterAll(async () => {
  await browser?.close();
  await api?.stop();
});

const urlOf = (runId: number): string => `${api.url}/packages/h/hello/bookworm/amd64/${runId}/`;
const tailOf = (page: Page): Locator => page.getByRole('region', { name: 'Last lines of the log' });
const words = (first: number, last: number): string =>
  Array.from({ length: last - first + 1 }, (_none, index) => `word ${first + index}\n`).join('');
const numbered = (first: number, last: number): string =>
  words(first, last).replaceAll(/word (\d+)/g, '$1word $1');

it('the last lines of the log come to the page of a running run, and its end brings the verdict', async () => {
  const runId = await api.submit('hello');
  const { page, faults } = await openPage(browser, urlOf(runId), { viewport: PHONE });
  await page.locator('.verdict .status', { hasText: 'waiting' }).waitFor();
  await api.start(runId);
  const run = await LiveRun.of(api, runId);
  await run.write(words(1, 12));
  const tail = tailOf(page);
  await tail.getByText('word 12').waitFor();
  expect(await tail.textContent()).toBe(numbered(3, 12));
  // A line that is not complete is replaced when it is longer.
  await run.write('E: a line');
  await tail.getByText('E: a line').waitFor();
  await run.write(' that goes on\n');
  await tail.getByText('that goes on').waitFor();
  expect(await tail.textContent()).toBe(`${numbered(4, 12)}13E: a line that goes on\n`);
  expect(await tail.getByRole('link', { name: '13' }).getAttribute('href')).toMatch(/\/log#L13$/);
  // The state and the lines are on one screen of a phone.
  for (const element of [page.locator('.verdict .status'), tail]) {
    const box = (await element.boundingBox())!;
    expect(box.y + box.height).toBeLessThanOrEqual(PHONE.height);
  }
  for (const width of [1280, 390]) {
    await page.setViewportSize({ ...PHONE, width });
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
  }
  await run.end('a log');
  await page.locator('.verdict .status', { hasText: 'fail' }).waitFor();
  expect(await tail.count()).toBe(0);
  expect(faults).toEqual([]);
  await page.context().close();
});

it('without the script the page of a running run has the last lines of its log', async () => {
  const run = await LiveRun.start(api, 'hello');
  await run.write(words(1, 30));
  const { page } = await openPage(browser, urlOf(run.runId), { javaScriptEnabled: false, viewport: PHONE });
  expect(await tailOf(page).textContent()).toBe(numbered(21, 30));
  const last = (await tailOf(page).getByRole('link', { name: '30', exact: true }).boundingBox())!;
  const box = (await tailOf(page).boundingBox())!;
  expect(last.y + last.height).toBeLessThanOrEqual(box.y + box.height);
  await run.end('a log');
  await page.context().close();
});
