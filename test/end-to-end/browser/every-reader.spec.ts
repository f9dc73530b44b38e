import type { Browser, Response } from 'playwright-core';
import { startApi } from '@test/support/api';
import { launchChromium, openPage } from '@test/support/chromium';
import { HostileScene } from '../api/hostile/scene';
import { validityFaults } from '../api/hostile/validity';
import { Visitor } from '../api/hostile/visit';
import { NO_PAGES, pagesOf, startsOf, unseenRoutes } from '../api/hostile/walk';
import { DARK, faultsInLooks, LIGHT } from './looks';

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

it('the pages are those of all routes', () => {
  const mail = ['/mail/confirm/:token', '/mail/unsubscribe/:token'];
  expect(unseenRoutes(visitors)).toEqual(NO_PAGES.filter((route) => !mail.includes(route)).sort());
});

/** Two widths, light and dark. */
const BOTH = { 1280: [LIGHT, DARK], 390: [DARK, LIGHT] };

/** What is wrong with these pages as they are for a reader without a session, or with this one. */
async function faultsOf(url: string, some: string[], session?: string): Promise<string[]> {
  const { page, faults } = await openPage(
    browser,
    url,
    session ? { extraHTTPHeaders: { Cookie: session } } : {},
  );
  const all: string[] = [];
  for (const path of some) {
    const answer = await page.goto(url + path);
    const own = [...(await invalidity(answer!)), ...(await faultsInLooks(page, BOTH)), ...faults.splice(0)];
    all.push(...own.map((fault) => `${path} ${fault}`));
  }
  await page.context().close();
  // Chromium says so of a page that is an error.
  return all.filter((fault) => !fault.includes('Failed to load resource'));
}

/** What makes the page of an answer invalid HTML. */
async function invalidity(answer: Response): Promise<string[]> {
  return (await validityFaults(await answer.text())).map(
    ({ ruleId, line, message }) => `${ruleId} in line ${line}: ${message}`,
  );
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
  ...[
    '/triggers/nothing/1',
    '/compare/1...x',
    '/status/workers/worker-99',
    '/user/bob/keys',
    '/mail/confirm/x',
  ],
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

it('a form that is sent without its values comes back with its errors, which all can read', async () => {
  const refusals: string[] = [];
  for (const [reader, some] of [
    ['public', ['/user/login']],
    ['root', paths.root],
  ] as const) {
    const session = reader === 'root' ? { extraHTTPHeaders: { Cookie: scene.browsers.root.header } } : {};
    const { page } = await openPage(browser, scene.api.url, session);
    const sentActions = new Set<string>();
    for (const path of some) {
      await page.goto(scene.api.url + path);
      const actions = await page.evaluate<string[]>(ACTIONS);
      for (const [place, action] of actions.entries()) {
        if (sentActions.has(action)) continue;
        sentActions.add(action);
        await page.goto(scene.api.url + path);
        const [answer] = await Promise.all([
          page.waitForResponse((each) => each.request().isNavigationRequest()),
          page.waitForEvent('framenavigated'),
          page.evaluate(SEND_EMPTY(place)),
        ]);
        await page.waitForLoadState();
        if (answer.status() < 400) continue;
        refusals.push(action);
        const faults = [...(await invalidity(answer)), ...(await faultsInLooks(page, BOTH))];
        expect(faults.map((fault) => `${path} ${action} ${fault}`)).toEqual([]);
      }
    }
    await page.context().close();
  }
  expect(refusals.length).toBeGreaterThan(5);
});
