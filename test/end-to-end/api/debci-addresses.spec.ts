import { startApi } from '@test/support/api';
import type { RunningApi } from '@test/support/api';
import { Browser, hiddenIn } from '@test/support/browser';
import { awayFromMidnight } from '@test/support/midnight';
import { ADDRESSES, REQUESTS } from './debci/addresses';

let api: RunningApi;
let alice: Browser;
let stranger: Browser;
let runId: number;

beforeAll(async () => {
  api = await startApi();
  await api.database.users.setPassword('alice', 'of alice');
  await api.database.users.setPassword('bob', 'of bob');
  [alice, stranger] = [new Browser(api.url), new Browser(api.url)];
  await alice.logIn('alice', 'of alice');
  runId = await api.submit('hello', { trigger: 'glibc/2.40-4 gcc-14/14.2.0-8' });
  await api.finish(runId, { verdict: 'fail', files: { 'log.gz': 'a log', 'artifacts.tar.gz': 'a tar' } });
  await api.finish(await api.submit('g++', { trigger: 'g++/1~a' }));
  await api.submit('libhello', { is_private: true });
  for (const name of ['curl', 'curlftpfs']) await api.finish(await api.submit(name));
  await api.api('/test/trixie/arm64', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '[{"package":"hello"},{"package":"zlib"}]',
  });
});
afterAll(() => api.stop());

it.each(ADDRESSES)(
  'debci’s address %s leads a user to %s and a stranger to %s',
  async (path, ofAlice, ofStranger) => {
    for (const [browser, goal] of [
      [alice, ofAlice],
      [stranger, ofStranger],
    ] as const) {
      const { status, headers } = await browser.get(path);
      if (typeof goal === 'number') expect([path, status]).toEqual([path, goal]);
      else expect([path, [302, 303].includes(status), headers.get('location')]).toEqual([path, true, goal]);
      expect([
        path,
        (await browser.fetch(path, { method: 'HEAD', headers: { Accept: 'text/html' } })).status,
      ]).toEqual([path, status]);
    }
  },
);

it('an original address of this very server is followed, also by the login', async () => {
  const loginPath = `/user/login?original_url=${encodeURIComponent(`${api.url}/user/alice/jobs?arch=amd64`)}`;
  expect((await alice.get(loginPath)).headers.get('location')).toBe('/user/alice/jobs?arch=amd64');
  const bob = new Browser(api.url);
  const { form_token: token, next } = hiddenIn(await bob.textOf('/user/login?original_url=/user/bob/keys'));
  expect(next).toBe('/user/bob/keys');
  const came = await bob.post('/user/login', {
    form_token: token!,
    next: next!,
    name: 'bob',
    password: 'of bob',
  });
  expect(came.headers.get('location')).toBe('/user/bob/keys');
});

it.each([
  ['text/plain', 302],
  ['text/plain, text/html;q=0.5', 302],
  ['text/html', 200],
  ['*/*', 200],
])('a program that accepts %s gets %i of the page of a run', async (accept, status) => {
  const answer = await api.fetch(`/packages/h/hello/bookworm/amd64/${runId}/`, {
    headers: { Accept: accept },
  });
  const log = `/data/autopkgtest/bookworm/amd64/h/hello/${runId}/log.gz`;
  expect([answer.status, answer.headers.get('location')]).toEqual([status, status === 302 ? log : null]);
  expect(answer.headers.get('vary')).toMatch(/\bAccept(,|$)/);
});

it('the lists of an administrator are searched by q too', async () => {
  await api.adminKey();
  const root = await api.logIn('root');
  const users = await root.textOf('/admin/users/?q=ali');
  expect([users.includes('/admin/users/alice'), users.includes('/admin/users/bob')]).toEqual([true, false]);
  expect(await root.textOf('/admin/packages/?q=hello')).toContain('value="hello"');
});

it.each([
  ['/data/feeds/h/hello.xml', '/data/feeds/h/hello.xml/?utm_source=x'],
  ['/data/feeds/g/g++.xml', '/data/feeds/g/g%2B%2B.xml'],
  ['/data/feeds/all-packages.xml', '/data/feeds/all-packages.xml/'],
  ['/status/failing.xml?suite=bookworm', '/status/failing.xml?suite[]=bookworm&package='],
  ['/status/workers.xml', '/status/workers.xml/'],
  ['/status/queue.xml', '/status/queue.xml/'],
  ['/status/statistics.xml?days=90', '/status/statistics.xml'],
  ['/triggers/feed.xml', '/triggers/feed.xml/'],
  ['/triggers/g%2B%2B/1~a/feed.xml', '/triggers/g++/1%7Ea/feed.xml/'],
])('a reader knows the feed %s again, when asked for as %s too', async (path, spelled) => {
  for (const spelling of [path, spelled]) {
    const id = /<id>([^<]*)<\/id>/.exec(await (await api.fetch(spelling)).text())?.[1];
    expect([spelling, id]).toEqual([spelling, api.url + path]);
  }
});

describe('the API', () => {
  const form = async (method: string, path: string, body?: string): Promise<Response> =>
    api.api(path, {
      method,
      ...(body !== undefined && { body, headers: { 'Content-Type': 'application/x-www-form-urlencoded' } }),
    });
  it.each(REQUESTS)('%s %s with %s is answered with %i', async (method, path, body, status) => {
    const answer = await form(method, path, body);
    expect([answer.status, answer.headers.get('auth-user')]).toEqual([status, 'alice']);
  });

  it('takes what release teams send: a file of tests with pins, and gives each result under its id', async () => {
    const item = {
      package: 'green',
      is_private: true,
      trigger: 'green/1:2~3+4',
      'pin-packages': [['src:green', 'trixie']],
    };
    const body = new FormData();
    body.set('tests', new Blob([JSON.stringify([item])]), 'tests.json');
    const answer = await api.api('/test/bookworm/arm64', { method: 'POST', body }, api.keys.bob);
    const { runs } = (await answer.json()) as { runs: { run_id: number }[] };
    const { until, results } = (await (await api.api('/test?since=0', {}, api.keys.bob)).json()) as {
      until: number;
      results: object[];
    };
    expect(results).toMatchObject([
      { run_id: runs[0]!.run_id, package: 'green', trigger: 'green/1:2~3+4', status: null, version: null },
    ]);
    expect(until).toBeGreaterThan(0);
    const batch = await (
      await api.api('/test/batch', { method: 'POST', body: batchOf(item) }, api.keys.bob)
    ).json();
    expect(batch).toMatchObject({ runs: [{ arch: 'amd64' }, { arch: 'arm64' }], ignored: [] });
  });

  function batchOf(item: object): URLSearchParams {
    const part = { suite: 'trixie', arch: ['amd64', 'arm64'], tests: [{ ...item, package: 'greener' }] };
    return new URLSearchParams({ tests: JSON.stringify([part]) });
  }
});

it('what debci has and this service has not is said', async () => {
  expect(await stranger.textOf('/experiments/')).toContain('are not a part of this service');
});

it('an address logs out a user who types it, and no user who comes by a link of another site', async () => {
  const browser = new Browser(api.url);
  await browser.logIn('bob', 'of bob');
  const isIn = async (): Promise<boolean> => (await browser.get('/user/bob')).status === 200;
  for (const headers of [{}, { 'Sec-Fetch-Site': 'cross-site' }, { 'Sec-Fetch-Site': 'same-site' }]) {
    expect((await browser.get('/user/logout', headers)).headers.get('location')).toBe('/user/bob');
    expect(await isIn()).toBe(true);
  }
  const ahead = { 'Sec-Fetch-Site': 'none', 'Sec-Purpose': 'prefetch;prerender' };
  expect((await browser.get('/user/logout', ahead)).headers.get('location')).toBe('/user/bob');
  expect(await isIn()).toBe(true);
  expect((await browser.get('/user/logout', { 'Sec-Fetch-Site': 'none' })).headers.get('location')).toBe('/');
  expect(await isIn()).toBe(false);
});

describe('the filters of debci', () => {
  const jobs = async (query: string): Promise<string[]> => {
    const answer = await alice.get(`/user/alice/jobs.json?${query}`);
    const { runs } = (await answer.json()) as { runs: { package: string; suite: string }[] };
    return runs.map((run) => `${run.package} ${run.suite}`).sort();
  };

  it.each([
    ['arch[]=arm64', ['hello trixie', 'zlib trixie']],
    ['arch%5B%5D=arm64&suite%5B%5D=bookworm', []],
    ['arch[]=arm64&arch[]=amd64&package=hello', ['hello bookworm', 'hello trixie']],
    ['suite[]=bookworm&suite[]=trixie&package=hello', ['hello bookworm', 'hello trixie']],
    ['suite=bookworm,trixie&package=hello', ['hello bookworm', 'hello trixie']],
    ['suite=bookworm&suite=trixie&package=hello', ['hello bookworm', 'hello trixie']],
    ['is_private=true', ['libhello bookworm']],
    ['is_private=false&suite[]=trixie', ['hello trixie', 'zlib trixie']],
    ['trigger=gcc-14', ['hello bookworm']],
    ['trigger=2.40', ['hello bookworm']],
    ['trigger=glibc*gcc', ['hello bookworm']],
    ['trigger=glibc%25gcc', []],
    ['trigger=&package=zlib', ['zlib trixie']],
  ])('my runs are filtered by %s', async (query, runNames) => {
    expect(await jobs(query)).toEqual(runNames);
  });

  it('the form keeps what was asked for', async () => {
    const html = await alice.textOf(
      '/user/alice/jobs?arch[]=arm64&suite[]=trixie&suite[]=sid&is_private=false',
    );
    expect(html).toContain('name="arch" value="arm64" checked>');
    expect(html).toContain('name="arch" value="amd64">');
    expect(html).toContain('name="suite" value="sid" checked>');
    expect(html).toContain('<option selected>public</option>');
    expect(html).toContain('jobs.json?readers=public&amp;suite=trixie%2Csid&amp;arch=arm64');
  });

  it.each([
    ['is_private=yes', 'is_private must be one of true, false, not "yes".'],
    ['is_private=true&readers=public', 'readers is public, and is_private says true.'],
    ['arch[]=%3C', 'arch must be names of architectures, and "<" is none.'],
    ['tick=some', 'tick must be one of all, not "some".'],
  ])('my runs are refused with field and value when asked for %s', async (query, detail) => {
    const answer = await alice.get(`/user/alice/jobs.json?${query}`, { Accept: 'application/json' });
    expect([answer.status, await answer.json()]).toMatchObject([400, { detail }]);
  });

  it.each([
    ['arch[]=arm64&arch[]=amd64', 2],
    ['suite[]=trixie', 2],
    ['suite[]=trixie&arch[]=amd64', 0],
    ['is_private=false', 2],
    ['is_private=true', 0],
  ])('the list of what waits is filtered by %s', async (query, count) => {
    const { items } = (await (await api.fetch(`/status/pending.json?${query}`)).json()) as {
      items: object[];
    };
    expect(items).toHaveLength(count);
  });

  it('a list that is asked for private runs says where they are', async () => {
    expect(await stranger.textOf('/status/pending/?is_private=true')).toContain(
      'There are no waiting runs (private runs, which only “My runs” lists).',
    );
  });

  it('the form of a request takes the fields of debci’s', async () => {
    const fields =
      'package=hello&suite=trixie&arch[]=amd64&arch[]=arm64&pin_packages=src:a,sid&is_private=false';
    const html = await alice.textOf(`/user/alice/test?${fields}`);
    for (const box of ['suite[]" value="trixie"', 'arch[]" value="amd64"', 'arch[]" value="arm64"'])
      expect(html).toContain(`name="${box} checked`);
    expect(html).toContain('>src:a,sid</textarea>');
    expect(html).not.toMatch(/name="is_private"[^>]* checked/);
  });
});

it.each([
  [{}, 'Choose a suite.'],
  [{ 'suite-trixie': 'on', packages: 'hello' }, 'Choose an architecture.'],
  [{ 'suite-trixie': 'on', 'arch-amd64': 'on' }, 'Name a package.'],
])('a form of %j is no file', async (fields, detail) => {
  const { form_token: token = '' } = hiddenIn(await alice.textOf('/user/alice/test'));
  const headers = { 'Sec-Fetch-Site': 'same-origin', Accept: 'application/json' };
  const answer = await alice.post('/user/alice/test/export', { form_token: token, ...fields }, headers);
  expect([answer.status, await answer.json()]).toMatchObject([400, { detail }]);
});

it('the status of a day has an address', async () => {
  await awayFromMidnight();
  const today = new Date().toISOString().slice(0, 10);
  const ofDay = (day: string) => api.fetch(`/data/status/bookworm/amd64/${day.replaceAll('-', '/')}.json`);
  const history = (await (await api.fetch('/data/status/bookworm/amd64/history.json')).json()) as object[];
  expect(await (await ofDay(today)).json()).toEqual(history.at(-1));
  expect(history.at(-1)).toMatchObject({ fail: 1, pass: 3, total: 4 });
  for (const day of ['2001-02-03', '2999-01-01', '2026-02-30', '2026-1-1', 'x-y-z'])
    expect([day, (await ofDay(day)).status]).toEqual([day, 404]);
});
