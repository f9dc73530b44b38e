import type { Browser, Page } from 'playwright-core';
import { launchChromium, openPage } from '@test/support/chromium';
import { HostileScene } from '../api/hostile/scene';
import { Visitor } from '../api/hostile/visit';
import { pagesOf, startsOf } from '../api/hostile/walk';
import { DARK, faultsInLooks, FORCED, LIGHT } from './looks';

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
  await visitor.crawl([...startsOf('root'), '/packages/h/']);
  paths = pagesOf(visitor);
  session = root.header;
});
afterAll(async () => {
  await browser?.close();
  await scene?.stop();
});

/** Resolves when the page is parsed and has its style. */
const PARSED_AND_STYLED = `(async () => {
  const event = (target, name) => new Promise((resolve) => target.addEventListener(name, resolve, { once: true }));
  if (document.readyState === 'loading') await event(document, 'readystatechange');
  for (const link of document.querySelectorAll('link[rel=stylesheet]')) if (!link.sheet) await event(link, 'load');
})()`;

/** Leaves the first of siblings whose elements are nested alike. @returns how many elements are left */
const LEAVE_ONE_OF_A_KIND = `(() => {
  const kindOf = (element) => {
    const within = [...new Set([...element.children].map(kindOf))];
    return element.tagName + '.' + element.className + '(' + within + ')';
  };
  for (const parent of document.querySelectorAll('main, main *')) {
    const kinds = new Set();
    for (const child of [...parent.children]) {
      const kind = kindOf(child);
      if (kinds.has(kind)) child.remove();
      kinds.add(kind);
    }
  }
  return document.querySelectorAll('*').length;
})()`;

/** Every element of the page about the API is checked once: there are ten thousand. */
async function faultsOfWholeDocument(page: Page): Promise<string[]> {
  const lookFaults = await faultsInLooks(page, { 360: [DARK], 1280: [] });
  expect(await page.evaluate(LEAVE_ONE_OF_A_KIND)).toBeLessThan(1_000);
  return lookFaults;
}

// What looks for faults needs a script itself, so it is the page's that is kept waiting.
it('each page can be read by everybody, without its script and with it: wide and narrow, light, dark and in colours of the reader', async () => {
  const { page, faults } = await openPage(browser, scene.api.url, { extraHTTPHeaders: { Cookie: session } });
  let [goOn, waited, keptCount] = [() => {}, Promise.resolve(), 0];
  await page.route('**/assets/client.*', async (route) => {
    keptCount += 1;
    await waited;
    await route.continue();
  });
  const allFaults: string[] = [];
  for (const path of paths) {
    waited = new Promise((resolve) => (goOn = resolve));
    await page.goto(scene.api.url + path, { waitUntil: 'commit' });
    await page.evaluate(PARSED_AND_STYLED);
    const inLooks: string[] = path === '/api/doc' ? await faultsOfWholeDocument(page) : [];
    // No colour is of the script.
    inLooks.push(...(await faultsInLooks(page, { 1280: [LIGHT], 360: [DARK] })));
    goOn();
    await page.waitForLoadState();
    inLooks.push(...(await faultsInLooks(page, { 1280: [LIGHT, DARK, FORCED], 360: [DARK, LIGHT, FORCED] })));
    allFaults.push(...[...inLooks, ...faults.splice(0)].map((fault) => `${path} ${fault}`));
  }
  await page.context().close();
  expect(allFaults).toEqual([]);
  expect(paths).toEqual(expect.arrayContaining(['/api/doc', '/style/']));
  expect(keptCount).toBe(paths.length);
});
