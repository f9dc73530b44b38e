import { startApi } from '../../support/api';
import type { RunningApi } from '../../support/api';
import { Browser, hiddenIn } from '../../support/browser';

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
  await api.finish(runId, { verdict: 'fail' });
  await api.submit('libhello', { is_private: true });
  for (const name of ['curl', 'curlftpfs']) await api.finish(await api.submit(name));
  await api.api('/test/trixie/arm64', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '[{"package":"hello"},{"package":"zlib"}]',
  });
}, 60_000);
afterAll(() => api.stop());

const toLogin = (path: string): string => `/user/login?next=${encodeURIComponent(path)}`;

it.each<[path: string, ofAlice: string | number, ofStranger: string | number]>([
  ['/user', '/user/alice', toLogin('/user')],
  ['/user/', '/user/alice', toLogin('/user')],
  ['/user/logout', '/user/alice', '/'],
  ['/user/auth/failure', '/user/login', '/user/login'],
  ['/user/auth/failure?message=csrf&strategy=gitlab', '/user/login', '/user/login'],
  ['/user/auth/gitlab', '/user/login', '/user/login'],
  ['/user/auth/gitlab/callback?code=x', '/user/login', '/user/login'],
  ['/user/bob/retry/1', '/user/alice/retry/1', toLogin('/user/bob/retry/1')],
  ['/user/:user/retry/1', '/user/alice/retry/1', toLogin('/user/:user/retry/1')],
  ['/user/bob/retry/1?x=1', '/user/alice/retry/1?x=1', toLogin('/user/bob/retry/1?x=1')],
  ['/user/bob/jobs', 403, toLogin('/user/bob/jobs')],
  ['/user/login?original_url=/user/alice/jobs', '/user/alice/jobs', 200],
  ['/user/login?original_url=//evil.example/', '/', 200],
  ['/user/login?original_url=https://evil.example/', '/', 200],
  ['/user/login?original_url=/%5Cevil.example', '/', 200],
  ['/user/login?original_url=javascript:alert(1)', '/', 200],
  ['/user/login?original_url=/user/logout', '/', 200],
  ['/api', '/api/doc', '/api/doc'],
  ['/api/', '/api/doc', '/api/doc'],
  ['/api/doc', 200, 200],
  ['/doc', '/api/doc', '/api/doc'],
  ['/doc/', '/api/doc', '/api/doc'],
  ['/packages/-/search?query=ell', '/packages/h/hello/', '/packages/h/hello/'],
  ['/packages/-/search?query=curlf', '/packages/c/curlftpfs/', '/packages/c/curlftpfs/'],
  ['/packages/-/search?query=cur', 200, 200],
  ['/packages/-/search?query=', 200, 200],
  ['/data/feeds/h/hello.xml', 200, 200],
  ['/data/feeds/z/zlib.xml', 200, 200],
  ['/data/feeds/n/nothing.xml', 404, 404],
  ['/data/feeds/libh/libhello.xml', 404, 404],
  ['/experiments/', 404, 404],
  ['/experiments/1/regressions/', 404, 404],
])('debci’s address %s leads a user to %s and a stranger to %s', async (path, ofAlice, ofStranger) => {
  for (const [browser, goal] of [
    [alice, ofAlice],
    [stranger, ofStranger],
  ] as const) {
    const { status, headers } = await browser.get(path);
    if (typeof goal === 'number') expect([path, status]).toEqual([path, goal]);
    else expect([path, [302, 303].includes(status), headers.get('location')]).toEqual([path, true, goal]);
  }
});

it('an original address of this very server is followed, also by the login', async () => {
  const asked = `/user/login?original_url=${encodeURIComponent(`${api.url}/user/alice/jobs?arch=amd64`)}`;
  expect((await alice.get(asked)).headers.get('location')).toBe('/user/alice/jobs?arch=amd64');
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

it('what debci has and this service has not is said', async () => {
  expect(await stranger.textOf('/experiments/')).toContain('are not a part of this service');
});

it('an address logs out whoever types it, and nobody whom another site leads there', async () => {
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
  ])('my runs go by %s', async (query, found) => {
    expect(await jobs(query)).toEqual(found);
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
  ])('the list of what waits goes by %s', async (query, count) => {
    const { items } = (await (await api.fetch(`/status/pending.json?${query}`)).json()) as {
      items: object[];
    };
    expect(items).toHaveLength(count);
  });

  it('a list that is asked for private runs says where they are', async () => {
    expect(await stranger.textOf('/status/pending/?is_private=true')).toContain(
      'There is no run that waits (private runs, which are under “My runs” alone).',
    );
  });

  it('the form of a request takes the fields of debci’s', async () => {
    const fields =
      'package=hello&suite=trixie&arch[]=amd64&arch[]=arm64&pin_packages=src:a,sid&is_private=false';
    const html = await alice.textOf(`/user/alice/test?${fields}`);
    for (const name of ['suite-trixie', 'arch-amd64', 'arch-arm64'])
      expect(html).toMatch(new RegExp(`name="${name}"[^>]* checked`));
    expect(html).toContain('>src:a,sid</textarea>');
    expect(html).not.toMatch(/name="is_private"[^>]* checked/);
  });
});

it.each([
  [{}, 'No suite is chosen.'],
  [{ 'suite-trixie': 'on', packages: 'hello' }, 'No architecture is chosen.'],
  [{ 'suite-trixie': 'on', 'arch-amd64': 'on' }, 'No package is named.'],
])('a form of %j is no file', async (fields, detail) => {
  const { form_token: token = '' } = hiddenIn(await alice.textOf('/user/alice/test'));
  const headers = { 'Sec-Fetch-Site': 'same-origin', Accept: 'application/json' };
  const answer = await alice.post('/user/alice/test/export', { form_token: token, ...fields }, headers);
  expect([answer.status, await answer.json()]).toMatchObject([400, { detail }]);
});

it('the status of a day has an address', async () => {
  const today = new Date().toISOString().slice(0, 10);
  const ofDay = (day: string) => api.fetch(`/data/status/bookworm/amd64/${day.replaceAll('-', '/')}.json`);
  const history = (await (await api.fetch('/data/status/bookworm/amd64/history.json')).json()) as object[];
  expect(await (await ofDay(today)).json()).toEqual(history.at(-1));
  expect(history.at(-1)).toMatchObject({ fail: 1, pass: 2, total: 3 });
  for (const day of ['2001-02-03', '2999-01-01', '2026-02-30', '2026-1-1', 'x-y-z'])
    expect([day, (await ofDay(day)).status]).toEqual([day, 404]);
});
