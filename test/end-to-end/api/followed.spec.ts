import { startApi } from '@test/support/api';
import type { RunningApi } from '@test/support/api';
import { type Browser, hiddenIn } from '@test/support/browser';

let api: RunningApi;
let alice: Browser;
let bob: Browser;

beforeAll(async () => {
  api = await startApi();
  alice = await api.logIn('alice');
  bob = await api.logIn('bob');
  await api.finish(await api.submit('hello'), { verdict: 'fail' });
  await api.finish(await api.submit('secret-tool', { is_private: true }, api.keys.aliceSecond));
});
afterAll(() => api.stop());

const PAGE = '/user/alice/packages';
const [FOLLOW, UNFOLLOW] = ['/user/alice/follow', '/user/alice/unfollow'];
const follow = (packages: string): Promise<Response> => alice.submit(PAGE, `${PAGE}/follow`, { packages });
const followed = async (): Promise<unknown> => (await alice.get(`${PAGE}.json`)).json();
const aliceId = async (): Promise<number> => (await api.database.users.find('alice'))!.userId;
const feedOn = (html: string) => /href="(\/data\/followed\/[\w-]{43}\.xml)"/.exec(html)?.[1];

it('packages are followed by name and pattern, and those of private runs are not there', async () => {
  expect(await alice.textOf(PAGE)).toContain('You follow no package yet.');
  while (await api.database.statusProjection.step('amd64'));
  expect((await follow('hel*, secret-tool\nunheard-of')).headers.get('location')).toBe(PAGE);
  const html = await alice.textOf(PAGE);
  for (const text of [
    '/packages/h/hello/bookworm/amd64/">',
    'No public run was requested yet of: secret-tool, unheard-of.',
  ])
    expect(html).toContain(text);
  expect(await followed()).toMatchObject({
    patterns: ['hel*', 'secret-tool', 'unheard-of'],
    packages: [{ package: 'hello', statuses: [{ suite: 'bookworm', arch: 'amd64', status: 'fail' }] }],
  });
  expect(await bob.textOf('/user/bob/packages')).toContain('You follow no package');
  await alice.submit(PAGE, `${PAGE}/unfollow`, { package: 'unheard-of' });
  await alice.submit('/packages/h/hello/', FOLLOW);
  expect(await followed()).toMatchObject({ patterns: ['hel*', 'hello', 'secret-tool'] });
});

it('a key follows packages for its user and leaves them, as the page does', async () => {
  const requestFollowed = (method: string, path = '', packages?: unknown) => {
    const headers = { 'Content-Type': 'application/json' };
    const body = packages === undefined ? {} : { headers, body: JSON.stringify({ packages }) };
    return api.api(`/followed${path}`, { method, ...body }, api.keys.bob);
  };
  const answer = await (await requestFollowed('POST', '', ['hel*', 'gone'])).json();
  expect(answer).toMatchObject({ patterns: ['gone', 'hel*'], packages: [{ package: 'hello' }] });
  expect(await (await bob.get('/user/bob/packages.json')).json()).toEqual(answer);
  expect(await (await requestFollowed('GET')).json()).toEqual(answer);
  expect([
    (await requestFollowed('DELETE', '/hel%2A')).status,
    (await requestFollowed('DELETE', '/hel%2A')).status,
  ]).toEqual([204, 404]);
  for (const wrong of [['Hello'], [5], [], 7])
    expect([wrong, (await requestFollowed('POST', '', wrong)).status]).toEqual([wrong, 400]);
  expect((await requestFollowed('DELETE', '/a%00')).status).toBe(404);
  expect((await requestFollowed('DELETE', '/gone')).status).toBe(204);
  expect(await (await requestFollowed('GET')).json()).toMatchObject({ patterns: [], packages: [] });
});

it('the page of a package, a run, a trigger or a prefix has one button to follow, and one to stop', async () => {
  const runId = await api.submit('waits', { trigger: 'glibc/2.42-3' });
  for (const [page, kind, name] of [
    ['/packages/w/waits/', 'package', 'waits'],
    [`/packages/w/waits/bookworm/amd64/${runId}/`, 'run', String(runId)],
    ['/triggers/glibc/2.42-3', 'trigger', 'glibc/2.42-3'],
    ['/packages/h/', 'package', 'h*'],
  ] as const) {
    const answer = await alice.submit(page, FOLLOW);
    expect([page, answer.status]).toEqual([page, 303]);
    // The browser returns to the page.
    const back = await alice.get(answer.headers.get('location')!);
    expect([page, `/runs/${runId}`]).toContain(answer.headers.get('location'));
    expect(back.status).toBeLessThan(400);
    expect(await api.database.follows.isFollowed(await aliceId(), { kind, name })).toBe(true);
    expect(await alice.textOf(PAGE)).toContain(`aria-label="Remove ${name}"`);
    expect((await alice.submit(page, UNFOLLOW)).status).toBe(303);
    expect(await api.database.follows.isFollowed(await aliceId(), { kind, name })).toBe(false);
    const login = `/user/login?next=${encodeURIComponent(page)}`;
    expect(await (await api.fetch(page)).text()).toContain(`href="${login}"`);
  }
  // Of a run that has ended, the package is what can change.
  await api.finish(runId, { verdict: 'pass' });
  expect(await alice.textOf(`/packages/w/waits/bookworm/amd64/${runId}/`)).toContain(
    'aria-label="Follow the package waits"',
  );
});

it('runs and triggers are followed on the page of what is followed and by the API, if they may be seen', async () => {
  const runId = await api.submit('waits', { trigger: 'glibc/2.42-4' });
  const secret = await api.submit('hidden', { is_private: true, trigger: 'secret/1' }, api.keys.aliceSecond);
  const more = (name: string): Promise<Response> => alice.submit(PAGE, `${PAGE}/follow-more`, { name });
  for (const name of [String(runId), 'glibc/2.42-4', String(secret), 'secret/1'])
    expect([name, (await more(name)).status]).toEqual([name, 303]);
  for (const name of ['999999', 'glibc/0', 'a\0', 'x'])
    expect([name, (await more(name)).status]).toEqual([name, 404]);
  expect(await followed()).toMatchObject({
    runs: [runId, secret],
    triggers: ['glibc/2.42-4', 'secret/1'],
  });
  const asBob = (path: string, method = 'POST') =>
    api.api(`/followed/${path}`, { method }, api.keys.bob).then(({ status }) => status);
  expect([await asBob(`runs/${secret}`), await asBob('triggers/secret/1')]).toEqual([404, 404]);
  expect([await asBob(`runs/${runId}`), await asBob('triggers/glibc/2.42-4')]).toEqual([204, 204]);
  expect([await asBob(`runs/${runId}`, 'DELETE'), await asBob(`runs/${runId}`, 'DELETE')]).toEqual([
    204, 404,
  ]);
  await alice.submit(PAGE, `${PAGE}/unfollow`, { run: String(runId) });
  await alice.submit(PAGE, `${PAGE}/unfollow`, { trigger: 'secret/1' });
  expect(await followed()).toMatchObject({ runs: [secret], triggers: ['glibc/2.42-4'] });
});

it('what can be followed by no name is not unfollowed either, and makes no address', async () => {
  const unfollow = async (values: Record<string, string>): Promise<number> =>
    (await alice.submit(PAGE, `${PAGE}/unfollow`, values)).status;
  expect([await unfollow({ trigger: 'x'.repeat(20_000) }), await unfollow({ run: 'x' })]).toEqual([400, 404]);
  const token = hiddenIn(await alice.textOf(PAGE));
  expect((await alice.post(UNFOLLOW, { ...token, trigger: 'x'.repeat(20_000) })).status).toBe(400);
});

it('a feed of my packages needs its address alone, which is renewed and ended', async () => {
  expect(feedOn(await alice.textOf(PAGE))).toBeUndefined();
  await alice.submit(PAGE, `${PAGE}/feed`);
  const feed = feedOn(await alice.textOf(PAGE))!;
  const answer = await api.fetch(feed);
  const text = await answer.text();
  expect([answer.status, answer.headers.get('content-type'), answer.headers.get('x-robots-tag')]).toEqual([
    200,
    'application/atom+xml; charset=utf-8',
    'noindex',
  ]);
  expect(text).toContain('hello 1.0-1 began to fail on bookworm/amd64');
  expect(text).not.toMatch(/secret-tool|alice/);
  await alice.submit(PAGE, `${PAGE}/feed`);
  const renewed = feedOn(await alice.textOf(PAGE))!;
  expect([renewed === feed, (await api.fetch(feed)).status, (await api.fetch(renewed)).status]).toEqual([
    false,
    404,
    200,
  ]);
  const { form_token: token = '' } = hiddenIn(await alice.textOf(PAGE));
  await alice.post(`${PAGE}/feed/end`, { form_token: token });
  expect([(await api.fetch(renewed)).status, (await api.fetch('/data/followed/x.xml')).status]).toEqual([
    404, 404,
  ]);
});

it.each([
  ['Hello', 'is no name of a package'],
  ['a\u0000', 'is no name of a package'],
  ['', 'No package is named'],
  [Array.from({ length: 201 }, (_, at) => `p${at}`).join(' '), '200 packages, patterns, runs and triggers'],
  [Array.from({ length: 21 }, (_, at) => `p${at}*`).join(' '), '20 patterns with *'],
])('what cannot be followed is refused as a whole (%#)', async (packages, reason) => {
  const before = await followed();
  const refusal = await follow(packages);
  const html = await refusal.text();
  expect([refusal.status, html]).toEqual([400, expect.stringContaining(reason)]);
  expect(html).toContain('<span class="mistake" id="packages-mistake">');
  expect(await followed()).toEqual(before);
});
