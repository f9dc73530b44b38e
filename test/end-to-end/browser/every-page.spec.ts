import type { Browser, Page } from 'playwright-core';
import { startApi } from '@test/support/api';
import { accessibilityFaults, launchChromium, openPage, RULES_OF_COLOURS } from '@test/support/chromium';
import { HostileScene } from '../api/hostile/scene';
import { Visitor } from '../api/hostile/visit';
import { NO_PAGES, startsOf, unseenRoutes } from '../api/hostile/walk';

const RUN = '/packages/:prefix/:package/:suite/:arch/:run_id';

type Reader = keyof HostileScene['browsers'];

let scene: HostileScene;
let browser: Browser;
/** One of each kind, as each reader comes to them. */
const paths: Record<Reader, string[]> = { public: [], alice: [], root: [] };
const visitors: Visitor[] = [];

beforeAll(async () => {
  [scene, browser] = await Promise.all([HostileScene.make(), launchChromium()]);
  await scene.api.finish(await scene.api.submit(`hello${'-very-long'.repeat(8)}`), { verdict: 'fail' });
  for (const reader of ['public', 'alice', 'root'] as const) {
    const visitor = new Visitor(scene.api, scene.browsers[reader]);
    const starts = reader === 'public' ? await mailLinks() : [];
    await visitor.crawl([...startsOf(reader), '/packages/h/', ...starts]);
    visitors.push(visitor);
    paths[reader] = pagesOf(visitor);
  }
});
afterAll(async () => {
  await browser?.close();
  await scene?.stop();
});

/** The links in the mail that confirms the address of alice. */
async function mailLinks(): Promise<string[]> {
  const { users, mailAddresses } = scene.api.database;
  const { userId } = (await users.find('alice'))!;
  await mailAddresses.request(userId, 'alice@example.org', 'hour', new Date());
  const due = await mailAddresses.claim({ name: 'test', claimMs: 1_000 }, new Date());
  return [`/mail/confirm/${due!.confirmToken}`, `/mail/unsubscribe/${due!.token}`];
}

/** The last page of each kind, and each run: what one shows depends on how far it is. */
function pagesOf({ visits }: Visitor): string[] {
  const pages = visits.filter(({ type, status }) => type === 'text/html' && status === 200);
  const ofKinds = new Map(pages.map(({ route, path }) => [route, path])).values();
  return [...new Set([...ofKinds, ...pages.filter(({ route }) => route === RUN).map(({ path }) => path)])];
}

type Look = { colorScheme: 'light' | 'dark'; forcedColors: 'none' | 'active' };
const LIGHT: Look = { colorScheme: 'light', forcedColors: 'none' };
const DARK: Look = { colorScheme: 'dark', forcedColors: 'none' };
const FORCED: Look = { colorScheme: 'dark', forcedColors: 'active' };

/** What is wrong with the page that is open, at two widths with these colours at each. */
async function faultsInLooks(page: Page, looks: Record<number, Look[]>): Promise<string[]> {
  const lookFaults: string[] = [];
  for (const [width, colours] of Object.entries(looks)) {
    await page.setViewportSize({ width: Number(width), height: 800 });
    const over = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    if (over > 0) lookFaults.push(`${width} pixels wide: wider than the screen by ${over}`);
    for (const [at, each] of colours.entries()) {
      await page.emulateMedia(each);
      // Other colours change what these rules find, and no other.
      const faults = await accessibilityFaults(page, at === 0 ? undefined : RULES_OF_COLOURS);
      const look = `${width} pixels wide, ${each.colorScheme}, forced colours ${each.forcedColors}`;
      lookFaults.push(...faults.map((fault) => `${look}: ${fault}`));
    }
  }
  return lookFaults;
}

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
  const { page, faults } = await openPage(browser, scene.api.url, {
    extraHTTPHeaders: { Cookie: scene.browsers.root.header },
  });
  let [goOn, waited, keptCount] = [() => {}, Promise.resolve(), 0];
  await page.route('**/assets/client.*', async (route) => {
    keptCount += 1;
    await waited;
    await route.continue();
  });
  const allFaults: string[] = [];
  for (const path of paths.root) {
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
  expect(paths.root).toEqual(expect.arrayContaining(['/api/doc', '/style/']));
  expect(keptCount).toBe(paths.root.length);
});

it('the pages are those of all routes', () => {
  const mail = ['/mail/confirm/:token', '/mail/unsubscribe/:token'];
  expect(unseenRoutes(visitors)).toEqual(NO_PAGES.filter((route) => !mail.includes(route)).sort());
});

/** Two widths, light and dark. */
const BOTH = { 1280: [LIGHT, DARK], 360: [DARK, LIGHT] };

/** What is wrong with these pages as they are for a reader without a session, or with this one. */
async function faultsOf(url: string, some: string[], session?: string): Promise<string[]> {
  const { page, faults } = await openPage(
    browser,
    url,
    session ? { extraHTTPHeaders: { Cookie: session } } : {},
  );
  const all: string[] = [];
  for (const path of some) {
    await page.goto(url + path);
    all.push(
      ...[...(await faultsInLooks(page, BOTH)), ...faults.splice(0)].map((fault) => `${path} ${fault}`),
    );
  }
  await page.context().close();
  // Chromium says so of a page that is an error.
  return all.filter((fault) => !fault.includes('Failed to load resource'));
}

const isOfReaders = (path: string): boolean => path !== '/api/doc';

it('readers without a login and users without rights can read their pages', async () => {
  const { api, browsers } = scene;
  const own = paths.alice.filter((path) => path.startsWith('/user/'));
  expect(await faultsOf(api.url, paths.public.filter(isOfReaders))).toEqual([]);
  expect(await faultsOf(api.url, own, browsers.alice.header)).toEqual([]);
  expect([paths.public.length, own.length].map((count) => count > 7)).toEqual([true, true]);
});

it('the pages of an instance without runs can be read', async () => {
  const empty = await startApi();
  try {
    await empty.database.users.add('root', { isAdmin: true });
    const root = await empty.logIn('root');
    const visitor = new Visitor(empty, root);
    await visitor.crawl(startsOf('root'));
    expect(await faultsOf(empty.url, pagesOf(visitor).filter(isOfReaders), root.header)).toEqual([]);
  } finally {
    await empty.stop();
  }
});

const ERRORS = [
  ...['/nowhere', '/packages/n/nothing/', '/packages/h/helo/', '/runs/99999', '/status/nothing/'],
  ...['/triggers/nothing/1', '/compare/1...x', '/status/workers/nobody', '/user/bob/keys', '/mail/confirm/x'],
  ...[
    '/status/failing/?suite=nothing',
    '/packages/-/search?query=nothing-of-this',
    '/packages/h/hello/?nothing=1',
  ],
];

it('the pages of errors can be read, and those of addresses that find nothing', async () => {
  const { api, browsers } = scene;
  expect(await faultsOf(api.url, ERRORS)).toEqual([]);
  expect(await faultsOf(api.url, ERRORS, browsers.alice.header)).toEqual([]);
});

/** Sends the form that is the first, second … of the page with fields to fill in, without a value. */
const SEND_EMPTY = (place: number): string => `(() => {
  const form = [...document.querySelectorAll(${JSON.stringify(FORMS)})][${place}];
  for (const each of form.querySelectorAll('details')) each.open = true;
  for (const each of form.elements) if (each.type !== 'hidden') each.value = '';
  form.noValidate = true;
  form.requestSubmit();
})()`;
const FORMS = 'form[method=post]:has(:required)';
const ACTIONS = `[...document.querySelectorAll(${JSON.stringify(FORMS)})].map((form) => form.getAttribute('action'))`;

it('a form that is sent without its values comes back with its errors, for everybody to read', async () => {
  const refused: string[] = [];
  for (const [reader, some] of [
    ['public', ['/user/login']],
    ['root', paths.root],
  ] as const) {
    const session = reader === 'root' ? { extraHTTPHeaders: { Cookie: scene.browsers.root.header } } : {};
    const { page } = await openPage(browser, scene.api.url, session);
    const seen = new Set<string>();
    for (const path of some) {
      await page.goto(scene.api.url + path);
      const actions = await page.evaluate<string[]>(ACTIONS);
      for (const [place, action] of actions.entries()) {
        if (seen.has(action)) continue;
        seen.add(action);
        await page.goto(scene.api.url + path);
        const [answer] = await Promise.all([
          page.waitForResponse((response) => response.request().method() === 'POST'),
          page.evaluate(SEND_EMPTY(place)),
        ]);
        await page.waitForLoadState();
        if (answer.status() < 400) continue;
        refused.push(action);
        expect((await faultsInLooks(page, BOTH)).map((fault) => `${path} ${action} ${fault}`)).toEqual([]);
      }
    }
    await page.context().close();
  }
  console.log(refused);
  expect(refused.length).toBeGreaterThan(5);
});
