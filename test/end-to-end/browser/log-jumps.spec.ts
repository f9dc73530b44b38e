import type { Browser, Page } from 'playwright-core';
import { startApi } from '@test/support/api';
import type { RunningApi } from '@test/support/api';
import { accessibilityFaults, launchChromium, openPage } from '@test/support/chromium';
import { until } from '@test/support/until';

let api: RunningApi;
let browser: Browser;
let url: string;

const own = (text: string, time = '12:34:56'): string => `autopkgtest [${time}]: ${text}\n`;
const results = (name: string): string =>
  own(`test ${name}:  - - - - - - - - - - results - - - - - - - - - -`);
/** Lines that wrap at every width, and lines that wrap at none. */
const words = (count: number): string =>
  Array.from(
    { length: count },
    (_none, at) => `${at + 1} ${at % 3 === 0 ? 'some words of a line '.repeat(20) : 'short'}\n`,
  ).join('');
const passing = Array.from(
  { length: 6 },
  (_none, at) =>
    own(`test t${at}: preparing testbed`) +
    words(20) +
    own(`test t${at}: [-----------------------`) +
    results(`t${at}`) +
    `t${at}   PASS\n`,
);
const END = '12:37:06';
const RESULTS = 'test upstream:  - - - - - - - - - - results - - - - - - - - - -';
const LOG =
  `${own('@@@@@@@@@@@@@@@@@@@@ test bed setup')}${words(130)}${passing.join('')}` +
  `${own('test upstream: [-----------------------')}${words(1_500)}error: the first needle\n${words(1_500)}` +
  `error: the second needle\n${words(1_500)}error: the third needle\n${words(130)}${own('test upstream: -----------------------]', END)}${own(RESULTS, END)}upstream   FAIL badly\n` +
  `${own('@@@@@@@@@@@@@@@@@@@@ summary', END)}upstream FAIL badly\n`;
const lineOf = (text: string): number => LOG.slice(0, LOG.indexOf(text)).split('\n').length;
const [FIRST, SECOND, THIRD] = ['error: the first', 'error: the second', 'error: the third'].map(lineOf) as [
  number,
  number,
  number,
];
const SUMMARY = lineOf(own('@@@@@@@@@@@@@@@@@@@@ summary', END).trimEnd());

beforeAll(async () => {
  [api, browser] = await Promise.all([startApi(), launchChromium()]);
  const runId = await api.submit('jumps');
  await api.finish(runId, { verdict: 'fail', files: { 'log.gz': LOG } });
  url = `${api.url}/packages/j/jumps/bookworm/amd64/${runId}/log`;
});
afterAll(async () => {
  await browser?.close();
  await api?.stop();
});

/** Where a line is after frames of the browser: `in view`, or how far below or above the lines that can be read. */
const PLACE = `async (id, frames) => {
  for (let frame = 0; frame < frames; frame += 1) await new Promise(requestAnimationFrame);
  const line = document.getElementById(id);
  const { top, bottom } = line.getBoundingClientRect();
  const edge = line.closest('details[open]').querySelector('summary').getBoundingClientRect().bottom;
  return { top, where: top < edge - 1 ? 'above by ' + (edge - top) : bottom > innerHeight ? 'below by ' + (bottom - innerHeight) : 'in view' };
}`;

/** Does something, and finds where a line is in the first frame after it, and whether it stays there. */
async function landing(page: Page, act: string, line: number): Promise<string> {
  return page.evaluate<string>(`(async () => {
    const place = ${PLACE};
    ${act};
    const first = await place('L${line}', 1);
    if (first.where !== 'in view') return first.where;
    const later = await place('L${line}', 6);
    return later.top === first.top ? 'in view' : 'moves by ' + (later.top - first.top);
  })()`);
}

const click = (selector: string): string => `document.querySelector(${JSON.stringify(selector)}).click()`;
const key = (name: string): string => `dispatchEvent(new KeyboardEvent('keydown', { key: '${name}' }))`;
/** Where a line is when the page is at rest. */
const whereIs = async (page: Page, line: number): Promise<string> =>
  (await page.evaluate<{ where: string }>(`(${PLACE})('L${line}', 2)`)).where;

const WIDTHS = [390, 768, 1280, 1920];
const LOOKS = WIDTHS.flatMap((width) =>
  [true, false].map((isWrapped): [number, boolean] => [width, isWrapped]),
);

describe('a link in a log leads to its line, which stays in view', () => {
  it.each(LOOKS)('%i pixels wide, with lines wrapped: %p', async (width, isWrapped) => {
    const { page, faults } = await openPage(browser, `${url}?q=needle`, { viewport: { width, height: 860 } });
    if (!isWrapped) await page.getByRole('button', { name: 'Wrap lines' }).click();
    const landings = [
      ['First error', click('[data-hotkey=e]'), FIRST],
      ['Next error', click('[data-steps=error] [rel=next]'), SECOND],
      ['the key n', key('n'), THIRD],
      ['the key p', key('p'), SECOND],
      ['Summary', click('#log-outline li:last-child a'), SUMMARY],
      ['the last that was found', click('.hits li:last-child a'), THIRD],
      ['the first that was found', click('.hits li:first-child a'), FIRST],
      ['the first part', click('#log-outline a'), 1],
      ['the same link again', `scrollTo(0, 20_000); ${click('#log-outline a')}`, 1],
      [
        'an address that is typed',
        `location.hash = 'L${SECOND}-L${SECOND + 2}'; await new Promise((done) => addEventListener('hashchange', done, { once: true }))`,
        SECOND,
      ],
    ] as const;
    const landed: unknown[] = [];
    for (const [name, act, line] of landings) landed.push([name, await landing(page, act, line)]);
    expect(landed).toEqual(landings.map(([name]) => [name, 'in view']));
    // The way back leads to the line before, too.
    await page.goBack();
    await page.waitForURL(/#L1$/, { waitUntil: 'commit' });
    expect(await whereIs(page, 1)).toBe('in view');
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it.each(WIDTHS)('%i pixels wide, without the script', async (width) => {
    const options = { viewport: { width, height: 860 }, javaScriptEnabled: false };
    const { page } = await openPage(browser, url, options);
    await page.locator('[data-hotkey=e]').click();
    await page.waitForURL(`**/log#L${FIRST}`);
    // Without scripts a page cannot wait for its own frames.
    const isInView = async (): Promise<boolean> => {
      const box = await page.locator(`#L${FIRST}`).boundingBox();
      return box !== null && box.y > 40 && box.y + box.height < 860;
    };
    expect(await until(isInView)).toBe(true);
    await page.context().close();
  });

  it.each(WIDTHS)(
    '%i pixels wide: the log opens at its first error, and its address at its line',
    async (width) => {
      const { page } = await openPage(browser, url, { viewport: { width, height: 860 } });
      expect(await whereIs(page, FIRST)).toBe('in view');
      await page.goto('about:blank');
      await page.goto(`${url}?from=${THIRD}#L${THIRD}`);
      expect(await whereIs(page, THIRD)).toBe('in view');
      await page.context().close();
    },
  );

  it('when long lines are wrapped or not, the line that is read stays', async () => {
    const { page } = await openPage(browser, `${url}#L${SECOND}`, { viewport: { width: 390, height: 860 } });
    for (const look of ['not wrapped', 'wrapped'])
      expect([look, await landing(page, key('w'), SECOND)]).toEqual([look, 'in view']);
    await page.context().close();
  });
});

it.each(WIDTHS)('lines that wrap do so beside the numbers, %i pixels wide', async (width) => {
  const { page } = await openPage(browser, `${url}#L${SECOND}`, { viewport: { width, height: 860 } });
  const { right, lefts } = await page.evaluate<{ right: number; lefts: number[] }>(`(() => {
    const number = document.getElementById('L${SECOND - 3}');
    const text = document.createRange();
    text.selectNode(number.nextSibling);
    const rows = Map.groupBy(text.getClientRects(), ({ top }) => Math.round(top));
    return {
      right: number.getBoundingClientRect().right,
      lefts: [...rows.values()].map((row) => Math.min(...row.map(({ left }) => left))),
    };
  })()`);
  expect(lefts.length).toBeGreaterThan(1);
  expect(Math.min(...lefts)).toBeGreaterThan(right);
  expect(Math.max(...lefts) - Math.min(...lefts)).toBeLessThan(1);
  await page.context().close();
});

describe('errors are counted', () => {
  it('by the keys, by the links and in the address', async () => {
    const { page, faults } = await openPage(browser, url);
    const count = page.locator('[data-steps=error] [role=status]');
    const notes: string[][] = [];
    const note = async (): Promise<void> => {
      notes.push([await count.innerText(), new URL(page.url()).hash]);
    };
    await note();
    await page.keyboard.press('n');
    await note();
    await page.getByRole('link', { name: 'Next error' }).click();
    await note();
    expect(await page.getByRole('link', { name: 'Next error' }).isVisible()).toBe(false);
    await page.keyboard.press('p');
    await note();
    await page.locator(`#L${FIRST}`).evaluate((line) => (line as unknown as { click(): void }).click());
    await note();
    await page.keyboard.press(']');
    expect(notes).toEqual([
      ['Error 1 of 3', ''],
      ['Error 2 of 3', `#L${SECOND}`],
      ['Error 3 of 3', `#L${THIRD}`],
      ['Error 2 of 3', `#L${SECOND}`],
      ['Error 1 of 3', `#L${FIRST}`],
    ]);
    expect(faults).toEqual([]);
    await page.context().close();
  });
});

it('what was found is marked in the text, counted, and gone through one by one', async () => {
  const { page, faults } = await openPage(browser, `${url}?q=NEEDLE`);
  expect(await page.locator('.lines mark.found').allTextContents()).toEqual(['needle', 'needle', 'needle']);
  const hits = page.getByRole('navigation', { name: 'Hits of the search' });
  const notes: string[][] = [];
  const note = async (): Promise<void> => {
    const hash = new URL(page.url()).hash;
    notes.push([await hits.getByRole('status').innerText(), hash]);
    if (hash) expect([hash, await whereIs(page, Number(hash.slice(2)))]).toEqual([hash, 'in view']);
  };
  await note();
  await hits.getByRole('link', { name: 'Next hit' }).click();
  await note();
  await page.keyboard.press('Shift+N');
  await note();
  await hits.getByRole('link', { name: 'Next hit' }).click();
  await note();
  expect(await hits.getByRole('link', { name: 'Next hit' }).isVisible()).toBe(false);
  await page.keyboard.press('Shift+P');
  await note();
  expect(notes).toEqual([
    ['3 hits', ''],
    ['Hit 1 of 3', `#L${FIRST}`],
    ['Hit 2 of 3', `#L${SECOND}`],
    ['Hit 3 of 3', `#L${THIRD}`],
    ['Hit 2 of 3', `#L${SECOND}`],
  ]);
  expect(await accessibilityFaults(page)).toEqual([]);
  expect(faults).toEqual([]);
  await page.context().close();
});

it('parts have their duration, and lines their time when it is wanted', async () => {
  const { page, faults } = await openPage(browser, url);
  const summary = page.locator('summary', { hasText: 'upstream' });
  expect(await summary.innerText()).toContain('3 with errors, 2\u00a0min\u00a010\u00a0s');
  const times = page.getByRole('button', { name: 'Times' });
  await times.click();
  expect(await times.getAttribute('aria-pressed')).toBe('true');
  const timeOf = (line: number): Promise<string> =>
    page.evaluate(`getComputedStyle(document.getElementById('L${line}'), '::before').content`);
  expect([await timeOf(FIRST), await timeOf(SUMMARY)]).toEqual(['"12:34:56"', '"12:37:06"']);
  expect(await whereIs(page, FIRST)).toBe('in view');
  await page.keyboard.press('i');
  expect(await timeOf(FIRST)).toBe('none');
  expect(await times.getAttribute('aria-pressed')).toBe('false');
  expect(await whereIs(page, FIRST)).toBe('in view');
  expect(faults).toEqual([]);
  await page.context().close();
});

it('a finger hits the number of a line', async () => {
  const phone = { viewport: { width: 390, height: 860 }, isMobile: true, hasTouch: true };
  const { page } = await openPage(browser, `${url}#L${SECOND}`, phone);
  const box = await page.locator(`#L${SECOND}`).boundingBox();
  expect(box!.height).toBeGreaterThanOrEqual(24);
  expect(box!.width).toBeGreaterThanOrEqual(24);
  await page.context().close();
});

it('header, heading, lines and foot begin at one left edge, which is that of every page', async () => {
  const { page } = await openPage(browser, url, { viewport: { width: 1920, height: 860 } });
  const lefts = await page.evaluate<
    number[]
  >(`['.home', 'h1', '#log-state > *', '#log-outline', '.bottom > *']
    .map((each) => document.querySelector(each).getBoundingClientRect().left)`);
  await page.goto(new URL('/', url).href);
  const ofFirstPage = await page.evaluate<number>(
    `document.querySelector('h1').getBoundingClientRect().left`,
  );
  expect(new Set(lefts)).toEqual(new Set([ofFirstPage]));
  await page.context().close();
});

it('on a phone the switches of the bar are in view', async () => {
  const { page, faults } = await openPage(browser, url, { viewport: { width: 390, height: 844 } });
  for (const name of ['Wrap lines', 'Times']) {
    const { x, y, width, height } = (await page.getByRole('button', { name }).boundingBox())!;
    expect([x >= 0, x + width <= 390, y >= 0, y + height <= 844]).toEqual([true, true, true, true]);
  }
  const hidden = `(() => {
    const bar = document.getElementById('log-bar');
    return bar.scrollHeight - bar.clientHeight;
  })()`;
  expect(await page.evaluate(hidden)).toBe(0);
  expect(faults).toEqual([]);
  await page.context().close();
});
