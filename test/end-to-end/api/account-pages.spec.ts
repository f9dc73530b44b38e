import { startApi } from '@test/support/api';
import type { RunningApi } from '@test/support/api';
import { Browser, hiddenIn } from '@test/support/browser';

let api: RunningApi;
let alice: Browser;
let bob: Browser;
let publicRun: number;
let privateRun: number;

beforeAll(async () => {
  api = await startApi();
  alice = await api.logIn('alice');
  bob = await api.logIn('bob');
  publicRun = await api.submit('hello', { trigger: 'glibc/2.40-4' });
  privateRun = await api.submit('secret-tool', { is_private: true }, api.keys.aliceSecond);
  await api.finish(publicRun, { verdict: 'fail' });
  await api.finish(privateRun);
});
afterAll(() => api.stop());

const OWN_PAGES = [
  '',
  '/packages',
  '/packages.json',
  '/keys',
  '/getkey',
  '/jobs',
  '/jobs.json',
  '/test/publish',
];

it.each(OWN_PAGES)('the page /user/alice%s is its owner’s alone', async (path) => {
  const own = await alice.get(`/user/alice${path}`);
  expect(own.status).toBeLessThan(400);
  expect(own.headers.get('cache-control')).toBe('private, no-store');
  expect((await bob.get(`/user/alice${path}`)).status).toBe(403);
  const stranger = new Browser(api.url);
  const redirect = await stranger.get(`/user/alice${path}?x=1`);
  expect([redirect.status, redirect.headers.get('location')]).toEqual([
    303,
    `/user/login?next=${encodeURIComponent(`/user/alice${path}?x=1`)}`,
  ]);
  expect((await stranger.get(`/user/alice${path}`, { Accept: 'application/json' })).status).toBe(403);
});

it.each([
  '/keys',
  '/keys/1/revoke',
  '/keys/1/rotate',
  '/test/publish',
  '/jobs/cancel',
  '/jobs/retry',
  '/packages/follow',
  '/packages/unfollow',
  '/packages/follow-more',
  '/follow',
  '/unfollow',
  '/packages/feed',
  '/packages/feed/end',
  '/packages/mail',
  '/packages/mail/end',
  '/retry/1',
])('a form of another user, of a stranger or without its token changes nothing at %s', async (path) => {
  const token = hiddenIn(await bob.textOf('/user/bob'))['form_token']!;
  expect((await bob.post(`/user/alice${path}`, { form_token: token, name: 'x' })).status).toBe(403);
  const stranger = await new Browser(api.url).post(`/user/alice${path}`, { name: 'x' });
  expect([303, 403]).toContain(stranger.status);
  expect((await alice.post(`/user/alice${path}`, { name: 'x' })).status).toBe(403);
  const crossSite = { 'Sec-Fetch-Site': 'cross-site' };
  const own = hiddenIn(await alice.textOf('/user/alice'))['form_token']!;
  expect((await alice.post(`/user/alice${path}`, { form_token: own, name: 'x' }, crossSite)).status).toBe(
    403,
  );
});

it('an API key is made on its page, shown once, used, given a new secret and revoked', async () => {
  const home = await alice.textOf('/user/alice');
  expect(home).toContain('href="/user/alice/getkey">Get API Key</a>');
  expect((await alice.get('/user/alice/getkey')).headers.get('location')).toBe('/user/alice/keys');
  const keyOn = (html: string): string => /<code id="secret">(pk_\w+)<\/code>/.exec(html)![1]!;
  const statusOf = async (key: string): Promise<number> => (await api.api('/auth', {}, key)).status;

  const answer = await alice.submit('/user/alice/keys', '/user/alice/keys', { name: '<b>laptop</b>' });
  expect(answer.status).toBe(201);
  const page = await answer.text();
  const key = keyOn(page);
  expect(page).toContain('&lt;b&gt;laptop&lt;/b&gt;');
  expect(page).toContain(`${api.url}/api/v1/auth</code>`);
  expect(await statusOf(key)).toBe(200);
  const list = await alice.textOf('/user/alice/keys');
  expect(list).not.toContain(key);
  const id = [...list.matchAll(/keys\/(\d+)\/rotate/g)].at(-1)![1]!;

  const rotated = await alice.submit('/user/alice/keys', `/user/alice/keys/${id}/rotate`);
  const second = keyOn(await rotated.text());
  expect([await statusOf(second), second === key]).toEqual([200, false]);
  const { form_token: token = '' } = hiddenIn(list);
  const revoked = await alice.post(`/user/alice/keys/${id}/revoke`, { form_token: token });
  expect([revoked.status, revoked.headers.get('location')]).toEqual([303, '/user/alice/keys']);
  expect([await statusOf(second), await statusOf(key)]).toEqual([403, 403]);
  const ofBob = hiddenIn(await bob.textOf('/user/bob'))['form_token']!;
  expect((await bob.post(`/user/bob/keys/${id}/revoke`, { form_token: ofBob })).status).toBe(404);
});

it('the endpoints of keys take a session, and changes the token of its pages too', async () => {
  expect((await alice.get('/api/v1/keys')).status).toBe(200);
  const { form_token: token = '' } = hiddenIn(await alice.textOf('/user/alice'));
  const make = (headers: Record<string, string>): Promise<Response> =>
    alice.post('/api/v1/keys', { name: 'by session' }, headers);
  expect((await make({ 'Sec-Fetch-Site': 'same-origin' })).status).toBe(403);
  expect((await make({ 'Sec-Fetch-Site': 'cross-site', 'Form-Token': token })).status).toBe(403);
  expect((await make({ 'Form-Token': token })).status).toBe(403);
  expect((await make({ 'Sec-Fetch-Site': 'same-origin', 'Form-Token': token })).status).toBe(201);
});

describe('the page before a retry', () => {
  const page = (): string => `/api/v1/retry/${publicRun}`;

  it('the page before a retry sends a browser without a session to the login and back', async () => {
    const browser = new Browser(api.url);
    const redirect = await browser.get(page(), { Accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8' });
    expect(redirect.status).toBe(302);
    const login = redirect.headers.get('location')!;
    expect(login).toBe(`/user/login?next=${encodeURIComponent(page())}`);
    const back = await browser.submit(login, '/user/login', { name: 'bob', password: 'of bob' });
    expect(back.headers.get('location')).toBe(page());
    expect(await browser.textOf(page())).toContain(`action="/user/bob/retry/${publicRun}"`);
  });

  it('the page before a retry is refused where neither key nor browser asks', async () => {
    for (const headers of [{}, { Accept: '*/*' }, { Accept: 'application/json' }])
      expect((await api.fetch(page(), { headers: headers as Record<string, string> })).status).toBe(403);
    const wrong = { Accept: 'text/html', 'Auth-Key': 'pk_wrong' };
    expect((await api.fetch(page(), { headers: wrong })).status).toBe(403);
    expect((await api.api(`/retry/${publicRun}`)).status).toBe(200);
    expect((await alice.post(page(), {})).status).toBe(403);
  });

  it('the page before a retry retries public runs for everybody, private ones for their requestor', async () => {
    expect((await bob.get(`/api/v1/retry/${privateRun}`)).status).toBe(404);
    expect((await bob.get(`/user/bob/retry/${privateRun}`)).status).toBe(404);
    const own = await alice.submit(`/api/v1/retry/${privateRun}`, `/user/alice/retry/${privateRun}`);
    expect([own.status, own.headers.get('location')]).toEqual([303, `/runs/${privateRun}`]);
    const again = await alice.submit(`/user/alice/retry/${publicRun}`, `/user/alice/retry/${publicRun}`);
    expect(again.status).toBe(303);
    expect(await alice.textOf('/user/alice')).toMatch(
      /1 run requested again: <a href="\/runs\/\d+">run \d+<\/a>\./,
    );
    const twice = await bob.submit(`/user/bob/retry/${publicRun}`, `/user/bob/retry/${publicRun}`);
    expect(twice.status).toBe(303);
    expect(await bob.textOf('/user/bob')).toContain(`>Run ${publicRun}</a> was skipped.`);
  });
});

describe('my runs', () => {
  interface Jobs {
    runs: { run_id: number; package: string; is_private: boolean; status: string | null }[];
    next: string | null;
  }
  const jobs = async (query = ''): Promise<Jobs> =>
    (await (await alice.get(`/user/alice/jobs.json${query}`)).json()) as Jobs;
  const packages = async (query: string): Promise<string[]> =>
    (await jobs(query)).runs.map((run) => run.package);

  it('my runs are those of all keys, private ones included, and those of no other user', async () => {
    await api.submit('of-bob', {}, api.keys.bob);
    const all = await jobs();
    expect(all.runs.map(({ run_id: id }) => id)).toEqual(expect.arrayContaining([publicRun, privateRun]));
    expect(all.runs.map((run) => run.package)).not.toContain('of-bob');
    const html = await alice.textOf('/user/alice/jobs');
    expect(html).toContain('secret-tool');
    expect(await bob.textOf('/user/bob/jobs')).not.toContain('secret-tool');
  });

  it('my runs are filtered by package, trigger, suite, architecture, status and who may read them', async () => {
    expect(new Set(await packages('?package=sec*'))).toEqual(new Set(['secret-tool']));
    expect(await packages('?package=sec')).toEqual([]);
    expect(await packages('?package=%25')).toEqual([]);
    expect(new Set(await packages('?trigger=glibc/*'))).toEqual(new Set(['hello']));
    expect(await packages('?suite=trixie')).toEqual([]);
    expect(new Set(await packages('?suite=bookworm&arch=amd64&package=hello'))).toEqual(new Set(['hello']));
    expect(new Set(await packages('?status=fail'))).toEqual(new Set(['hello']));
    expect(await packages('?status=pass')).toEqual(['secret-tool']);
    expect(await packages('?status=running')).toEqual([]);
    expect(await packages('?readers=private')).toContain('secret-tool');
    expect(new Set(await packages('?readers=public&package=*e*'))).toEqual(new Set(['hello']));
    expect((await alice.get('/user/alice/jobs?status=well')).status).toBe(400);
  });

  it('my runs come in pages, newest first', async () => {
    const names = Array.from({ length: 60 }, (_, at) => ({ package: `many-${at}` }));
    const body = JSON.stringify(names);
    const headers = { 'Content-Type': 'application/json' };
    await api.api('/test/trixie/arm64', { method: 'POST', body, headers });
    const first = await jobs('?suite=trixie');
    expect([first.runs.length, first.runs[0]!.package]).toEqual([50, 'many-59']);
    const rest = (await (await alice.get(first.next!)).json()) as Jobs;
    expect([rest.runs.length, rest.runs[9]!.package, rest.next]).toEqual([10, 'many-0', null]);
    const numbered = async (page: string): Promise<unknown[]> => {
      const { status, headers } = await alice.get(`/user/alice/jobs?suite[]=trixie&page=${page}`);
      return [page, status, headers.get('location')];
    };
    const path = '/user/alice/jobs?suite=trixie';
    expect(await numbered('1')).toEqual(['1', 302, path]);
    expect(await numbered('2')).toEqual(['2', 302, first.next!.replace('jobs.json', 'jobs')]);
    expect(await numbered('3')).toEqual(['3', 200, null]);
    expect(await numbered('21')).toEqual(['21', 200, null]);
    expect(await numbered('0')).toEqual(['0', 400, null]);
  });

  it('my runs are looked for in parts, each among so many of the newest', async () => {
    const { userId } = (await api.database.users.find('alice'))!;
    const find = (before: number | null) =>
      api.database.ownRuns.find(userId, { package: 'hello', suites: ['bookworm'] }, 50, before, 10);
    const runIds: number[] = [];
    let parts = 0;
    for (let before: number | null = null, isEnd = false; !isEnd; parts += 1) {
      const { runs, next } = await find(before);
      runIds.push(...runs.map(({ runId }) => runId));
      [before, isEnd] = [next, next === null];
    }
    expect(runIds).toContain(publicRun);
    expect(new Set(runIds).size).toBe(runIds.length);
    expect(parts).toBeGreaterThan(6);
  });

  it('a retry of a run of another user is in the lists of both, which say who retried it', async () => {
    const runId = await api.submit('retried-by-bob');
    await api.finish(runId, { verdict: 'fail' });
    const answer = await api.api(`/retry/${runId}`, { method: 'POST' }, api.keys.bob);
    const { run_id: retried } = (await answer.json()) as { run_id: number };
    const row = async (who: Browser, name: string): Promise<string> =>
      (await who.textOf(`/user/${name}/jobs`))
        .split('<tr')
        .find((part) => part.includes(`"run-${retried}"`))!;
    expect(await row(alice, 'alice')).toContain('retried by bob');
    expect(await row(bob, 'bob')).toContain('your retry of alice’s run');
  });

  it('my runs are retried together, and those that cannot be are named', async () => {
    const [one, other] = [await api.submit('to-retry'), await api.submit('to-retry-too')];
    for (const id of [one, other]) await api.finish(id, { verdict: 'tmpfail' });
    const html = await alice.textOf('/user/alice/jobs?tick=all');
    expect(html).toContain(`id="run-${one}" name="run-${one}" aria-label="Select run ${one}" checked`);
    const { form_token: token = '' } = hiddenIn(html);
    const waiting = await api.submit('still-waiting');
    const ticked: Record<string, string> = { form_token: token };
    for (const id of [one, other, waiting]) ticked[`run-${id}`] = 'on';
    const question = await (await alice.post('/user/alice/jobs/retry', ticked)).text();
    expect(question).toContain('Retry 2 runs?');
    expect(question).toContain('One selected run is skipped');
    await api.api(`/retry/${one}`, { method: 'POST' });
    const back = '/user/alice/jobs?package=to-retry*';
    const confirmed = { ...ticked, confirmed: 'true', return_to: back };
    const answer = await alice.post('/user/alice/jobs/retry', confirmed);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, back]);
    const list = await alice.textOf(back);
    expect(list).toContain('1 run requested again: ');
    expect(list).toContain(`<a href="/runs/${one}">Run ${one}</a> was skipped.`);
    const elsewhere = { ...confirmed, return_to: '//elsewhere.example/' };
    const home = await alice.post('/user/alice/jobs/retry', elsewhere);
    expect(home.headers.get('location')).toBe('/user/alice/jobs');
    expect(await packages('?package=to-retry-too')).toHaveLength(2);
    expect(await packages('?package=to-retry')).toHaveLength(2);
    const many: Record<string, string> = { form_token: token };
    for (let id = 1; id <= 501; id += 1) many[`run-${id}`] = 'on';
    expect((await alice.post('/user/alice/jobs/retry', many)).status).toBe(400);
  });

  it('my runs are published and cancelled after a question', async () => {
    const [hidden, waiting] = [
      await api.submit('to-publish', { is_private: true }),
      await api.submit('to-cancel'),
    ];
    const foreign = await api.submit('not-mine', { is_private: true }, api.keys.bob);
    const { form_token: token = '' } = hiddenIn(await alice.textOf('/user/alice/jobs'));
    const ticked = (...ids: number[]): Record<string, string> =>
      Object.fromEntries([['form_token', token], ...ids.map((id) => [`run-${id}`, 'on'])]);
    const isPrivate = async (id: number): Promise<boolean> =>
      (await api.database.results.find(id))!.isPrivate;

    expect(await alice.textOf('/user/alice/test/publish')).toContain('Run numbers');
    const questionPage = await alice.get(`/user/alice/test/publish?run_ids=${hidden},${foreign},x`);
    expect(await questionPage.text()).toContain('Publish one run?');
    expect(await isPrivate(hidden)).toBe(true);
    const confirmed = { ...ticked(hidden, foreign), confirmed: 'true' };
    expect((await alice.post('/user/alice/test/publish', confirmed)).status).toBe(303);
    expect([await isPrivate(hidden), await isPrivate(foreign)]).toEqual([false, true]);

    const question = await alice.post('/user/alice/jobs/cancel', ticked(waiting, foreign));
    expect(await question.text()).toContain('Cancel one run?');
    await alice.post('/user/alice/jobs/cancel', { ...ticked(waiting, foreign), confirmed: 'true' });
    expect(await api.database.results.find(waiting)).toMatchObject({ state: 'finished', cancelled: true });
    expect(await api.database.results.find(foreign)).toMatchObject({ state: 'queued' });
  });
});
