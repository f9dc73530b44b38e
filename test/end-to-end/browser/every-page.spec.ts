import type { Browser, BrowserContextOptions } from 'playwright-core';
import { accessibilityFaults, launchChromium, openPage } from '../../support/chromium';
import { HostileScene } from '../api/hostile/scene';
import { Visitor } from '../api/hostile/visit';

jest.setTimeout(120_000);

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

it.each<[string, BrowserContextOptions]>([
  ['1280 pixels wide and light', { viewport: { width: 1280, height: 800 }, colorScheme: 'light' }],
  ['360 pixels wide and dark', { viewport: { width: 360, height: 800 }, colorScheme: 'dark' }],
  ['in colours of the reader', { viewport: { width: 1280, height: 800 }, forcedColors: 'active' }],
])('each page can be read by everybody: %s', async (_look, options) => {
  const { page, faults } = await openPage(browser, scene.api.url, {
    ...options,
    extraHTTPHeaders: { Cookie: session },
  });
  const found: string[] = [];
  for (const path of paths) {
    await page.goto(scene.api.url + path);
    const over = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    if (over > 0) found.push(`${path} is wider than the screen by ${over}`);
    found.push(...(await accessibilityFaults(page)).map((fault) => `${path} ${fault}`));
    found.push(...faults.splice(0).map((fault) => `${path} ${fault}`));
  }
  expect(found).toEqual([]);
  expect(paths.length).toBeGreaterThan(25);
  await page.context().close();
});
