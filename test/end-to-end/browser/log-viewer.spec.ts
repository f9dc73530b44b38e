import type { Browser, Page } from 'playwright-core';
import { startApi } from '@test/support/api';
import type { RunningApi } from '@test/support/api';
import { accessibilityFaults, launchChromium, openPage } from '@test/support/chromium';
import { LiveRun } from '@test/support/live-run';
import { until } from '@test/support/until';

let api: RunningApi;
let browser: Browser;

beforeAll(async () => {
  [api, browser] = await Promise.all([startApi(), launchChromium()]);
});
afterAll(async () => {
  await browser?.close();
  await api?.stop();
});

const own = (text: string): string => `autopkgtest [12:34:56]: ${text}\n`;
const words = (count: number): string =>
  Array.from({ length: count }, (_none, index) => `${index + 1} ${'words '.repeat(8)}\n`).join('');
const logOf = (name: string, runId: number): string =>
  `${api.url}/packages/${name[0]}/${name}/bookworm/amd64/${runId}/log`;
const chosenOn = (page: Page) => page.locator('#log-lines .chosen');

/** Number and text of each line on the page. */
function linesOf(page: Page): Promise<string[]> {
  return page
    .locator('#log-lines .lines')
    .allTextContents()
    .then((blocks) => blocks.join('').trimEnd().split('\n'));
}

const numbered = (log: string): string[] =>
  log
    .trimEnd()
    .split('\n')
    .map((line, index) => `${index + 1}${line}`);

/** As when the reader looks at another tab, and comes back. */
async function setHidden(page: Page, isHidden: boolean): Promise<void> {
  await page.evaluate(
    `Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${isHidden} });
     document.dispatchEvent(new Event('visibilitychange'))`,
  );
}

const isAtEnd = (page: Page): Promise<boolean> =>
  page.evaluate('innerHeight + scrollY >= document.body.scrollHeight - 1');
const isBarInView = (page: Page): Promise<boolean> =>
  page.evaluate(`(() => {
    const { top, bottom } = document.getElementById('log-bar').getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
  })()`);

describe('a long log', () => {
  let url: string;
  beforeAll(async () => {
    const log =
      `${own('@@@@@@@@@@@@@@@@@@@@ apt-source')}the needle\nE: early\n` +
      `${own('test upstream: [-----------------------')}${words(60_000)}error: it broke\n` +
      `${own('test upstream:  - - - - - - - - - - results - - - - - - - - - -')}upstream   FAIL badly\n`;
    const runId = await api.submit('long');
    await api.finish(runId, { verdict: 'fail', files: { 'log.gz': log } });
    url = logOf('long', runId);
  });

  it('is read by anchors and search', async () => {
    const { page, faults } = await openPage(browser, url);
    expect(await page.locator('#log-lines *').count()).toBeLessThan(10_000);
    // Its lines are on another part of the page's log.
    await page.goto(`${url}#L30000-L30002`);
    await chosenOn(page).first().waitFor();
    expect(await chosenOn(page).allTextContents()).toEqual(['30000', '30001', '30002']);
    await page.getByRole('searchbox', { name: 'Search this log' }).fill('NEEDLE');
    await page.getByRole('button', { name: 'Search', exact: true }).last().click();
    await page.getByRole('link', { name: 'Line 2', exact: true }).click();
    await page.locator('#L2.chosen').waitFor();
    expect(await page.locator('details:has(#L2)').getAttribute('open')).toBe('');
    // The page of another part of the log keeps the search.
    expect(await page.locator('.lines mark.found').allTextContents()).toEqual(['needle']);
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
    expect(await page.getByRole('dialog').isVisible()).toBe(false);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('is gone through by keys from error to error and part to part, wherever they are', async () => {
    const { page, faults } = await openPage(browser, `${url}?from=30000#L30000`);
    const marked = page.locator('mark');
    await page.keyboard.press('n');
    await page.locator('#L60005.chosen').waitFor();
    expect(await marked.allTextContents()).toEqual(['error: it broke']);
    await page.keyboard.press('n');
    await page.getByText('There is no error after this one.').waitFor();
    await page.keyboard.press('p');
    await page.locator('#L3.chosen').waitFor();
    expect(await marked.allTextContents()).toEqual(['E: early']);
    await page.goto(`${url}?from=30000#L30000`);
    // To the top of what is here of the part, then to its beginning.
    await page.keyboard.press('[');
    await page.keyboard.press('[');
    await page.locator('#L4.chosen').waitFor();
    // The browser may scroll to the line once more when the page has loaded.
    const atLastPart = async (): Promise<boolean> => {
      await page.keyboard.press(']');
      return page.getByText('There is no part after this one.').isVisible();
    };
    expect(await until(atLastPart)).toBe(true);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('is gone through from error to error by links without the script', async () => {
    const { page } = await openPage(browser, url, { javaScriptEnabled: false });
    await page.getByRole('link', { name: 'Previous error' }).click();
    await page.waitForURL('**/log?from=3#L3');
    await page.getByText('Error 1 of 2').waitFor();
    await page.getByRole('link', { name: 'Next error' }).click();
    await page.waitForURL('**/log?from=60005#L60005');
    await page.locator('mark', { hasText: 'error: it broke' }).waitFor();
    await page.context().close();
  });

  it('has ranges of lines that are chosen by Shift and a click, and copied as an address', async () => {
    const permissions = { permissions: ['clipboard-read', 'clipboard-write'] };
    const { page, faults } = await openPage(browser, `${url}?from=500`, permissions);
    await page.locator('#L500').click();
    await page.locator('#L503').click({ modifiers: ['Shift'] });
    await page.getByText('Lines 500 to 503').waitFor();
    expect(await chosenOn(page).allTextContents()).toEqual(['500', '501', '502', '503']);
    expect(await page.evaluate("[...CSS.highlights.get('chosen')].join('')")).toBe(
      words(499).split('\n').slice(495, 499).join('\n') + '\n',
    );
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(copied).toBe(`${url}?attempt=1&from=500#L500-L503`);
    await page.goto('about:blank');
    await page.goto(copied);
    await page.getByText('Lines 500 to 503').waitFor();
    expect(await chosenOn(page).count()).toBe(4);
    // Without a key, as on a phone.
    await page.getByRole('button', { name: 'Up to …' }).click();
    await page.locator('#L505').click();
    await page.getByText('Lines 500 to 505').waitFor();
    expect(new URL(page.url()).hash).toBe('#L500-L505');
    await page.locator('#L502').click();
    await page.getByText('Line 502', { exact: true }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
    await page.context().close();
  });
});

describe('a log that grows', () => {
  const FIRST = `${own('@@@@@@@@@@@@@@@@@@@@ apt-source')}${words(1_200)}`;
  const TEST = own('test smoke: [-----------------------');

  it('is shown as it will be once it is kept, and then is what is kept, in its place', async () => {
    const run = await LiveRun.start(api, 'grown');
    await run.write(FIRST);
    const { page, faults } = await openPage(browser, logOf('grown', run.runId));
    const follow = page.getByRole('button', { name: 'Follow', exact: true });
    // It opens at its end, and is followed there.
    expect(await follow.getAttribute('aria-pressed')).toBe('true');
    expect(await isAtEnd(page)).toBe(true);
    await run.write('half a li');
    await page.locator('#log-lines', { hasText: 'half a li' }).waitFor();
    expect(await isAtEnd(page)).toBe(true);
    await page.locator('#log-bar', { hasText: 'running' }).waitFor();
    expect(await isBarInView(page)).toBe(true);
    await run.write(`ne\n${TEST}\x1b[32mgreen`);
    await page.locator('#L1202', { hasText: '1202' }).waitFor();
    await page.locator('#L1204 + .fg-ansi-green', { hasText: 'green' }).waitFor();
    await run.write('\x1b[0m\nerror: it broke\n');
    await page.locator('#L1205 + mark', { hasText: 'error: it broke' }).waitFor();
    await page.locator('#log-outline').getByText('smoke').waitFor();
    await page.locator('summary', { hasText: 'smoke' }).getByText('3 lines, 1 with errors').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    // Who reads above is not taken to the end.
    await page.locator('#L600').scrollIntoViewIfNeeded();
    const place = (): Promise<number> =>
      page.evaluate('Math.round(document.getElementById("L600").getBoundingClientRect().top)');
    const above = await place();
    await page.locator('[aria-pressed=false]', { hasText: 'Follow' }).waitFor();
    await run.write(words(140));
    await page.getByRole('button', { name: '140 new lines ↓' }).waitFor();
    expect(await place()).toBe(above);
    const firstPart = FIRST + `half a line\n${TEST}green\nerror: it broke\n${words(140)}`;
    expect(await linesOf(page)).toEqual(numbered(firstPart));
    const before = await place();
    const log = `${firstPart.replace('green', '\x1b[32mgreen\x1b[0m')}${own('test smoke:  - - results - -')}smoke FAIL badly\n`;
    await run.end(log);
    await page.getByText('lines, 1 with errors').first().waitFor();
    await page.locator('summary', { hasText: 'smoke' }).getByText('FAIL').waitFor();
    expect(Math.abs((await place()) - before)).toBeLessThanOrEqual(1);
    expect(await linesOf(page)).toEqual(numbered(log.replaceAll(/\p{Cc}\[\d+m/gu, '')));
    expect(await page.getByRole('button', { name: /new line|To the end|Follow/ }).count()).toBe(0);
    expect(await page.locator('#log-bar').innerText()).toMatch(/^fail\s+Error 1 of 1\b/);
    expect(await isBarInView(page)).toBe(true);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('is followed only while its page is looked at, and goes on where it was', async () => {
    const run = await LiveRun.start(api, 'hidden');
    await run.write('one\n');
    const { page, faults } = await openPage(browser, logOf('hidden', run.runId));
    await run.write('two\nthr');
    await page.locator('#L3').waitFor();
    const closed = page.waitForEvent('requestfailed', (request) => request.url().includes('/log/events'));
    await setHidden(page, true);
    await closed;
    await run.write('ee\nfour\n');
    await run.write('the live log ends here', true);
    const nextRequest = page.waitForRequest((request) => request.url().includes('/log/events'));
    await setHidden(page, false);
    expect((await nextRequest).url()).toMatch(/&offset=8&line=3$/);
    await page.locator('#L4').waitFor();
    await page.locator('#log-note', { hasText: 'the live log ends here' }).waitFor();
    expect(await linesOf(page)).toEqual(['1one', '2two', '3three', '4four']);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('is searched as far as it is there', async () => {
    const run = await LiveRun.start(api, 'sought');
    await run.write(`${words(30)}a needle\n`);
    const { page } = await openPage(browser, logOf('sought', run.runId), { javaScriptEnabled: false });
    await page.getByRole('searchbox', { name: 'Search this log so far' }).fill('NEEDLE');
    await page.getByRole('button', { name: 'Search', exact: true }).last().click();
    await page.getByRole('link', { name: 'Line 31' }).waitFor();
    expect(await page.locator('.hits code').allTextContents()).toEqual(['a needle']);
    await page.context().close();
  });

  it('says what has happened when its attempt has expired, and that the run is executed again', async () => {
    const run = await LiveRun.start(api, 'expired');
    await run.write('all there is\n');
    const { page, faults } = await openPage(browser, logOf('expired', run.runId));
    await page.locator('#L1').waitFor();
    const requeue = { kind: 'requeue', runId: run.runId, attempt: 1, outcome: 'expired' } as const;
    await api.commit([{ ...requeue, reason: 'it was not renewed', result: null }]);
    await run.over();
    await page.getByText('This attempt expired: its worker sent nothing for too long.').waitFor();
    await page.getByText('The run is waiting for another attempt.').waitFor();
    expect(await page.locator('#log-bar').innerText()).toContain('expired');
    expect(await page.getByText('The test has ended').count()).toBe(0);
    expect(await linesOf(page)).toEqual(['1all there is']);
    await api.commit([
      { kind: 'grant', runId: run.runId, attempt: 2, worker: 'worker-1', incarnation: INCARNATION, slot: 0 },
    ]);
    await page.getByRole('link', { name: 'log of attempt 2' }).waitFor();
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('says why it cannot be followed, and is tried again when there is use in it', async () => {
    const run = await LiveRun.start(api, 'refused');
    await run.write('one\n');
    const url = logOf('refused', run.runId);
    const { page } = await openPage(browser, 'about:blank');
    await page.route('**/log/events?*', (route) =>
      route.fulfill({
        status: 503,
        contentType: 'application/problem+json',
        headers: { 'Retry-After': '1' },
        json: { status: 503, detail: 'Too many logs are being followed.' },
      }),
    );
    await page.goto(url);
    await page.getByText('Too many logs are being followed. It is tried again.').waitFor();
    await page.unroute('**/log/events?*');
    await run.write('two\n');
    await page.locator('#L2').waitFor();
    await page.locator('#log-connection').waitFor({ state: 'hidden' });
    await setHidden(page, true);
    await run.end('one\ntwo\n');
    await api.database.expiry.removeFiles([{ runId: run.runId, logRule: 'logs: 180', artifactsRule: null }]);
    await setHidden(page, false);
    await page.getByText(/was removed: logs are kept for 180 days/).waitFor();
    await page.context().close();
  });
});

const INCARNATION = '3f1d7f2e-9a0e-4c3f-8b7c-0a7d5e7b9b11';
