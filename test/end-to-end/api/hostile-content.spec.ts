import { setImmediate as immediate } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { Client } from 'pg';
import type { Browser } from '@test/support/browser';
import { markupFaults } from '@test/support/markup';
import { formsOf, hostilePaths, namesAskedBy } from './hostile/forms';
import type { SentForm } from './hostile/forms';
import { EVIL_NAME, HostileScene } from './hostile/scene';
import { validityFaults } from './hostile/validity';
import { Visitor } from './hostile/visit';
import type { Visit } from './hostile/visit';
import { NO_PAGES, startsOf, unseenRoutes } from './hostile/walk';

/**
 * Statements to the database for one page, at most: this many, or those of this list. It does not depend on how many rows a page
 * shows.
 */
const STATEMENTS_MAX = 12;
const MORE_STATEMENTS: Record<string, number> = {
  '/': 20,
  // With what its reader follows.
  '/packages/:prefix/:package': 13,
  '/packages/:prefix/:package/:suite/:arch/:run_id': 28,
  // An administrator sees the decisions, too.
  '/status/queue': 16,
  '/status/workers/:name': 17,
  '/triggers/:package/:version': 13,
  '/user/:user/retry/:run_id': 28,
};
/** Bytes of a page, whatever it shows: a line of a megabyte is in the log of each run. */
const PAGE_BYTES_MAX = 300_000;
/** Bytes of a page as it is sent, compressed. */
const PACKED_PAGE_BYTES_MAX = 60_000;
const POLICY =
  "default-src 'none';script-src 'self';connect-src 'self';style-src 'self';img-src 'self';form-action 'self';" +
  "base-uri 'none';frame-ancestors 'none'";

let scene: HostileScene;
const visitors: [string, Visitor, Browser][] = [];
const statements: { visitor: Visitor; path: string; route: string; count: number }[] = [];
const queries = jest.spyOn(Client.prototype, 'query');

beforeAll(async () => {
  scene = await HostileScene.make();
  for (const [name, browser] of Object.entries(scene.browsers)) {
    const visitor = new Visitor(scene.api, browser);
    visitors.push([name, visitor, browser]);
    let before = queries.mock.calls.length;
    await visitor.crawl(startsOf(name), ({ path, route }) => {
      const now = queries.mock.calls.length;
      statements.push({ visitor, path, route, count: now - before });
      before = now;
    });
  }
});
afterAll(async () => {
  jest.restoreAllMocks();
  await scene?.stop();
});

/** With the name of who came to it. */
function allVisits(): [string, Visit][] {
  return visitors.flatMap(([name, { visits }]) => visits.map((visit): [string, Visit] => [name, visit]));
}

const isPage = ({ type }: Visit): boolean => type === 'text/html';
const isMarkup = ({ type }: Visit): boolean => /\/html$|xml$/.test(type);

function expectHarmless(visits: [string, Visit][]): void {
  const faults = visits.flatMap(([name, { path, type, headers, body, ...visit }]) => {
    const own = isMarkup({ path, type, headers, body, ...visit }) ? markupFaults(body, scene.api.url) : [];
    const policy = headers.get('content-security-policy');
    if (policy !== POLICY && !policy?.includes('sandbox')) own.push(`the policy ${policy}`);
    if (headers.get('x-content-type-options') !== 'nosniff') own.push('no nosniff');
    if (visit.status >= 500) own.push(`status ${visit.status}`);
    const location = headers.get('location');
    if (location && new URL(location, scene.api.url).origin !== scene.api.url)
      own.push(`leads to ${location}`);
    return own.map((fault) => `${name} ${path}: ${fault}`);
  });
  expect(faults).toEqual([]);
}

it('the walk comes to every page, for some reader', () => {
  const unseen = unseenRoutes(visitors.map(([, visitor]) => visitor));
  expect(unseen).toEqual([...NO_PAGES].sort());
});

it('whatever others write is text on each page, feed and picture, for everybody', () => {
  expectHarmless(allVisits());
});

it('a page is no heavier for what others write', () => {
  // The documentation is as long as the API, and contains only our own words.
  const others = allVisits().filter(([, visit]) => isPage(visit) && visit.path !== '/api/doc');
  const heavy = others.flatMap(([name, { path, body }]) => {
    const [bytes, packed] = [Buffer.byteLength(body), gzipSync(body).length];
    const isHeavy = bytes > PAGE_BYTES_MAX || packed > PACKED_PAGE_BYTES_MAX;
    return isHeavy ? [`${name} ${path}: ${bytes} bytes, ${packed} compressed`] : [];
  });
  expect(heavy).toEqual([]);
});

it('each page is valid HTML', async () => {
  const faults = new Map<string, string>();
  const perRoute = new Map<string, number>();
  for (const [name, { route, path, body }] of allVisits().filter(([, visit]) => isPage(visit))) {
    const count = (perRoute.get(route) ?? 0) + 1;
    perRoute.set(route, count);
    if (body === '' || count > (body.length > 50_000 ? 1 : 2)) continue;
    for (const { ruleId, message, line } of await validityFaults(body))
      faults.set(`${ruleId} ${route}`, `${name} ${path}:${line} ${message}`);
    // The connections of the other tests are served meanwhile.
    await immediate();
  }
  expect([...faults]).toEqual([]);
});

it('a page asks the database a few times, however much it shows', async () => {
  const many: string[] = [];
  for (const { visitor, path, route, count } of statements) {
    const most = MORE_STATEMENTS[route] ?? STATEMENTS_MAX;
    if (count <= most) continue;
    // What is made once, or by the clock, may have come between.
    const counts: number[] = [];
    for (let before = queries.mock.calls.length; counts.length < 3; before = queries.mock.calls.length) {
      await visitor.visit(path, route);
      counts.push(queries.mock.calls.length - before);
    }
    const least = Math.min(...counts);
    if (least > most) many.push(`${path}: ${least}`);
  }
  expect(many).toEqual([]);
});

it('a hostile part of an address, and a hostile value asked for, is text on each page', async () => {
  const names = new Map<string, Set<string>>();
  for (const [, visitor] of visitors)
    for (const visit of visitor.visits.filter(isPage))
      for (const [route, name] of namesAskedBy(visit, (path) => visitor.routeOf(path)))
        names.set(route, (names.get(route) ?? new Set()).add(name));
  const visits: [string, Visit][] = [];
  for (const [name, visitor] of visitors) {
    // What a user and an administrator are shown alike is asked for by the latter.
    const pages = visitor.visits.filter(
      (visit) =>
        visit.status === 200 && isPage(visit) && (name !== 'alice' || visit.route.startsWith('/user/')),
    );
    for (const { route, path } of new Map(pages.map((visit) => [visit.route, visit])).values())
      for (const hostile of hostilePaths(route, path, names.get(route) ?? [], EVIL_NAME))
        visits.push([name, await visitor.visit(hostile, route)]);
  }
  expect(visits.length).toBeGreaterThan(200);
  expectHarmless(visits);
});

/** What a form that was not sent from a page of this server, by its own user, lacks or has. */
const FOREIGN: [string, Record<string, string>, Record<string, string>?][] = [
  ['another site', { 'Sec-Fetch-Site': 'cross-site', Origin: 'http://evil.example' }],
  ['another host of the site', { 'Sec-Fetch-Site': 'same-site' }],
  ['another site, as an old browser says it', { Origin: 'http://evil.example' }],
  ['a page without an origin', { Origin: 'null' }],
  ['nowhere that is known', {}],
  ['here without a token', { 'Sec-Fetch-Site': 'same-origin' }, { form_token: '' }],
  ['here with another token', { 'Sec-Fetch-Site': 'same-origin' }, { form_token: 'f'.repeat(64) }],
];

/** The form of pages that are the same for all readers: it has no token, and must come from here all the same. */
const WITHOUT_TOKEN = '/-/look';

it('each form of each page is refused when it comes from elsewhere or lacks its token', async () => {
  const actions = new Set<string>();
  const acceptances: string[] = [];
  for (const [name, visitor, browser] of visitors) {
    const forms = new Map<string, SentForm>();
    for (const visit of visitor.visits)
      for (const form of formsOf(visit)) forms.set(form.action.replace(/\d+/g, '#'), form);
    for (const { action, hidden } of forms.values()) {
      actions.add(action.replace(/\d+/g, '#').replace(`/${name}/`, '/USER/'));
      for (const [from, headers, changes] of FOREIGN) {
        if (action === WITHOUT_TOKEN && changes) continue;
        const { status } = await browser.post(action, { ...hidden, ...changes }, headers);
        if (status !== 403) acceptances.push(`${name} ${action} from ${from}: ${status}`);
      }
    }
  }
  expect(acceptances).toEqual([]);
  expect([...actions]).toEqual(
    expect.arrayContaining(['/user/login', '/user/logout', '/user/USER/keys', WITHOUT_TOKEN]),
  );
});
