import type { Browser, Page } from 'playwright-core';
import { accessibilityFaults, launchChromium, openPage, RULES_OF_COLOURS } from '../../support/chromium';
import { HostileScene } from '../api/hostile/scene';
import { Visitor } from '../api/hostile/visit';

jest.setTimeout(240_000);

let scene: HostileScene;
let browser: Browser;
let session: string;
/** One of each kind, as an administrator comes to them. */
let paths: string[];

beforeAll(async () => {
  [scene, browser] = await Promise.all([HostileScene.make(), launchChromium()]);
  await scene.api.finish(await scene.api.submit(`hello${'-very-long'.repeat(8)}`), { verdict: 'fail' });
  const { root } = scene.browsers;
  const visitor = new Visitor(scene.api, root);
  await visitor.crawl(['/', '/user/root', '/packages/h/']);
  const pages = visitor.visits.filter(({ type, status }) => type === 'text/html' && status === 200);
  paths = [...new Map(pages.map(({ route, path }) => [route, path])).values()];
  session = root.header;
});
afterAll(async () => {
  await browser?.close();
  await scene?.stop();
});

type Look = { colorScheme: 'light' | 'dark'; forcedColors: 'none' | 'active' };
const LIGHT: Look = { colorScheme: 'light', forcedColors: 'none' };
const DARK: Look = { colorScheme: 'dark', forcedColors: 'none' };
const FORCED: Look = { colorScheme: 'dark', forcedColors: 'active' };

/** What is wrong with the page that is open, at two widths with these colours at each. */
async function faultsInLooks(page: Page, looks: Record<number, Look[]>): Promise<string[]> {
  const found: string[] = [];
  for (const [width, colours] of Object.entries(looks)) {
    await page.setViewportSize({ width: Number(width), height: 800 });
    for (const [at, each] of colours.entries()) {
      await page.emulateMedia(each);
      const look = `${width} pixels wide, ${each.colorScheme}, forced colours ${each.forcedColors}`;
      const over = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      if (over > 0) found.push(`${look}: wider than the screen by ${over}`);
      // Other colours change what these rules find, and no other.
      const faults = await accessibilityFaults(page, at === 0 ? undefined : RULES_OF_COLOURS);
      found.push(...faults.map((fault) => `${look}: ${fault}`));
    }
  }
  return found;
}

/** Opens each page once. */
async function faultsOfAll(page: Page, faults: string[], looks: Record<number, Look[]>): Promise<string[]> {
  const found: string[] = [];
  for (const path of paths) {
    await page.goto(scene.api.url + path);
    found.push(...(await faultsInLooks(page, looks)).map((fault) => `${path} ${fault}`));
    found.push(...faults.splice(0).map((fault) => `${path} ${fault}`));
  }
  expect(paths.length).toBeGreaterThan(25);
  await page.context().close();
  return found;
}

const opened = () => openPage(browser, scene.api.url, { extraHTTPHeaders: { Cookie: session } });

it('each page can be read by everybody: wide and narrow, light, dark and in colours of the reader', async () => {
  const { page, faults } = await opened();
  const looks = { 1280: [LIGHT, DARK, FORCED], 360: [DARK, LIGHT, FORCED] };
  expect(await faultsOfAll(page, faults, looks)).toEqual([]);
});

// What looks for faults needs a script itself, so it is the page's that is left out. No colour is of the script.
it('each page can be read by everybody without its script, wide and narrow', async () => {
  const { page, faults } = await opened();
  let leftOut = 0;
  await page.route('**/assets/client.*', async (route) => {
    leftOut += 1;
    await route.fulfill({ contentType: 'text/javascript', body: '' });
  });
  expect(await faultsOfAll(page, faults, { 1280: [LIGHT], 360: [DARK] })).toEqual([]);
  expect(leftOut).toBe(paths.length);
});
