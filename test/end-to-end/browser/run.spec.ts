import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { errorSignature, type TestResult, type TestStatus } from '@proctor/contracts';
import { LogIndexer, logIndexText } from '@proctor/result-files';
import type { Browser, Locator } from 'playwright-core';
import { type RunningApi, startApi } from '@test/support/api';
import { accessibilityFaults, launchChromium, openPage } from '@test/support/chromium';

/** A usual window of a laptop. */
const SCREEN = { width: 1280, height: 860 };

let api: RunningApi;
let browser: Browser;
let failedRun: string;

const path = (name: string, runId: number): string => `/packages/${name[0]}/${name}/bookworm/amd64/${runId}/`;

/** 13 of 120 tests fail, two of them since this run. */
function tests(isLast: boolean): TestResult[] {
  const statusOf = (index: number): TestStatus => {
    if (index % 9 === 5 && index < 100) return isLast || index > 20 ? 'FAIL' : 'PASS';
    return index % 13 === 1 ? 'SKIP' : 'PASS';
  };
  return Array.from({ length: 120 }, (_, index) => {
    const status = statusOf(index);
    return {
      name: `test-of-part-${index}`,
      status,
      detail: status === 'FAIL' ? 'non-zero exit status 1' : null,
    };
  });
}

beforeAll(async () => {
  [api, browser] = await Promise.all([startApi(), launchChromium()]);
  const lines = Array.from(
    { length: 11 },
    (_, index) => `${index === 5 ? 'E: ' : ''}line ${index} ${'of the log '.repeat(6)}`,
  );
  const excerpt = { firstLine: 6_009, errorLine: 6_014, lines };
  const error = { signature: errorSignature(excerpt), excerpt };
  const log = { 'log.gz': 'a log' };
  await api.finish(await api.submit('dpkg'), { version: '1.22.21' });
  await api.finish(await api.submit('dpkg'), { verdict: 'fail', tests: tests(false), error, files: log });
  const runId = await api.submit('dpkg');
  const message = 'tests failed: 13 of 120';
  await api.finish(runId, {
    verdict: 'fail',
    version: '1.22.22',
    message,
    tests: tests(true),
    error,
    files: log,
  });
  while (await api.database.statusProjection.step('amd64'));
  failedRun = path('dpkg', runId);
});
afterAll(async () => {
  await browser?.close();
  await api?.stop();
});

async function isOnScreen(element: Locator): Promise<boolean> {
  const box = await element.boundingBox();
  return box !== null && box.y >= 0 && box.y + box.height <= SCREEN.height;
}

it('on one screen a failed run shows its cause, the first error, what changed, and the tests that failed', async () => {
  const { page, faults } = await openPage(browser, api.url + failedRun, { viewport: SCREEN });
  const main = page.getByRole('main');
  const elements = [
    main.getByText('dpkg 1.22.22 on bookworm/amd64 failed in 30 s.'),
    main.locator('.cause'),
    main.getByRole('link', { name: 'Log', exact: true }),
    main.getByRole('link', { name: 'Retry', exact: true }),
    main.locator('mark', { hasText: 'E: line 5' }),
    main.getByRole('heading', { name: 'What changed since the last pass' }),
    main.getByText('Is it flaky?'),
    main.getByRole('heading', { name: /^Tests: 11 failed \(2 new\), \d+ skipped, \d+ passed$/ }),
    main.getByRole('row', { name: /^test-of-part-5 / }),
  ];
  expect(await Promise.all(elements.map(isOnScreen))).toEqual(elements.map(() => true));
  expect(await page.title()).toMatch(/^fail: dpkg on bookworm\/amd64, run \d+ – Proctor$/);
  expect(await page.locator('link[rel=icon]').getAttribute('href')).toContain('icon_fail');
  expect(faults).toEqual([]);
  await page.context().close();
});

it('without the script the tests of a run are found by result and name, and what did not fail is unfolded', async () => {
  const { page } = await openPage(browser, api.url + failedRun, {
    javaScriptEnabled: false,
    viewport: SCREEN,
  });
  const rows = page.locator('#tests tbody tr:visible');
  expect(await rows.count()).toBe(11);
  await page.locator('#tests summary', { hasText: 'passed' }).click();
  await page.getByRole('row', { name: /^test-of-part-0 / }).waitFor();
  await page.getByLabel('Name contains').fill('PART-11');
  await page.getByRole('button', { name: 'Filter' }).click();
  await page.waitForURL(/\?test=PART-11#tests$/);
  expect(await rows.count()).toBe(11);
  await page
    .locator('#tests')
    .getByRole('link', { name: /^skipped/ })
    .click();
  await page.waitForURL(/\?result=skipped&test=PART-11#tests$/);
  expect(await rows.allTextContents()).toEqual([expect.stringContaining('test-of-part-118')]);
  await page.getByRole('link', { name: 'All tests' }).click();
  await page.waitForURL(/\/#tests$/);
  await page.context().close();
});

it.each(['light', 'dark'] as const)(
  'a run with many tests has no fault of accessibility, also unfolded: %s',
  async (colorScheme) => {
    const { page, faults } = await openPage(browser, api.url + failedRun, { colorScheme });
    await page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })");
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 860 });
      expect(await accessibilityFaults(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    }
    expect(faults).toEqual([]);
    await page.context().close();
  },
);

it('the tab shows the state of a run, and the page how far it is', async () => {
  const runId = await api.submit('dpkg');
  const { page, faults } = await openPage(browser, api.url + path('dpkg', runId));
  const icon = page.locator('link[rel=icon]');
  expect(await icon.getAttribute('href')).toContain('icon_queued');
  await api.start(runId);
  const state = (word: string): Locator => page.locator('.verdict .status', { hasText: word });
  await state('running').waitFor();
  expect(await page.title()).toMatch(/^running: /);
  expect(await icon.getAttribute('href')).toContain('icon_running');
  const bar = page.getByRole('progressbar', { name: 'Elapsed part of the usual duration' });
  expect(await bar.getAttribute('max')).toBe('30');
  await api.finish(runId, { isStarted: true });
  await state('pass').waitFor();
  expect(await page.title()).toMatch(/^pass: /);
  expect(await icon.getAttribute('href')).toContain('icon_pass');
  expect(await bar.count()).toBe(0);
  expect(faults).toEqual([]);
  await page.context().close();
});

/** A log whose test took so many of the 30 seconds of its run. */
function timedLog(seconds: number): string {
  const own = (second: number, text: string): string =>
    `autopkgtest [12:00:${String(second).padStart(2, '0')}]: ${text}\n`;
  return [
    own(0, 'starting date and time'),
    own(1, '@@@@@@@@@@@@@@@@@@@@ test bed setup'),
    own(5, 'test unit: preparing testbed'),
    own(8, 'test unit: [-----------------------'),
    own(8 + seconds, 'test unit: -----------------------]'),
    own(8 + seconds, '@@@@@@@@@@@@@@@@@@@@ summary'),
  ].join('');
}

it('the seconds of a run are shown by what they were spent on, beside the last pass, and lead into the log', async () => {
  const ids: number[] = [];
  for (const seconds of [4, 16]) {
    const runId = await api.submit('timed');
    const log = timedLog(seconds);
    const indexer = new LogIndexer(/error/);
    indexer.add(Buffer.from(log));
    const content = Buffer.from(logIndexText(indexer.end()));
    const sha256 = createHash('sha256').update(content).digest('hex');
    await api.store.save(runId, 1, 'log-index.json', Readable.from([content]), {
      size: content.length,
      sha256,
    });
    await api.finish(runId, { files: { 'log.gz': log } });
    ids.push(runId);
  }
  const { page, faults } = await openPage(browser, api.url + path('timed', ids[1]!), { viewport: SCREEN });
  const time = page.locator('section.time');
  // On a machine that is busy the worker needs a second to start.
  const items = time.getByRole('listitem').filter({ hasNotText: 'Start on the worker' });
  expect((await items.allTextContents()).map((text) => text.trim().replaceAll('\u00a0', ' '))).toEqual([
    'Testbed 5 s (last pass 5 s)',
    'Dependencies 3 s (last pass 3 s)',
    'Tests 16 s (last pass 4 s)',
    'Clean-up 6 s (last pass 18 s)',
  ]);
  await time.getByRole('img', { name: /Testbed\s5\ss, Dependencies\s3\ss, Tests\s16\ss/ }).waitFor();
  await time.getByText('Each step').click();
  await time.getByRole('link', { name: 'Test unit' }).click();
  await page.waitForURL(/\/log\?from=4#L4$/);
  await page.goBack();
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 860 });
    expect(await accessibilityFaults(page)).toEqual([]);
  }
  expect(faults).toEqual([]);
  await page.context().close();
});
