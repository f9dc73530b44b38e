import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { startApi } from '@test/support/api';
import type { RunningApi } from '@test/support/api';
import { pageOf } from '@test/support/pages';
import { runError } from '@test/support/run-error';
import { until } from '@test/support/until';
import { registerWorkers, workerKey } from '@test/support/worker-register';

const EVIL = `<script>alert("x")</script>&'`;
const ERROR = runError('Undefined reference to getopt');
const NOTHING = 'Nothing found.';

let api: RunningApi;
/** The runs of packages that the tests search for. */
const ids = { failed: 0, hidden: 0 };

beforeAll(async () => {
  api = await startApi();
  await api.adminKey();
  for (const name of ['zsh', 'zsh-antigen', 'libzsh', 'libatlas-perl']) await api.submit(name);
  ids.hidden = await api.submit('zsh-hidden', { is_private: true, trigger: 'hidden/1.0' });
  ids.failed = await api.submit('dash', { trigger: 'glibc/2.42-3' });
  await api.finish(ids.failed, { verdict: 'fail', error: ERROR });
  const worker = { name: 'Callisto', publicKey: workerKey(), architectures: ['amd64'] };
  await registerWorkers(api.database, [worker], 'root');
  const content = gzipSync('libatlas-perl\nlibatlas-perk\n');
  const sha256 = createHash('sha256').update(content).digest('hex');
  const offered = { suite: 'bookworm', arch: 'amd64', worker: worker.name, sha256, ageMs: 0 };
  expect(await api.database.sourceNames.saveNames(offered, content)).toBe(true);
});
afterAll(() => api?.stop());

async function search(query: string, by: { fetch: RunningApi['fetch'] } = api): Promise<string> {
  const response = await by.fetch(`/packages/-/search?query=${encodeURIComponent(query)}`);
  return response.headers.get('location') ?? response.text();
}

async function json<Answer>(path: string): Promise<Answer> {
  return (await (await api.fetch(path)).json()) as Answer;
}

it.each([
  ['a package', 'ZSH ', () => '/packages/z/zsh/'],
  ['a trigger', 'glibc/2.42-3', () => '/triggers/glibc/2.42-3'],
  ['a run', 'its number', () => `/packages/d/dash/bookworm/amd64/${ids.failed}/`],
  ['a part of one package alone', 'antig', () => '/packages/z/zsh-antigen/'],
  ['a part of one worker alone', 'callis', () => '/status/workers/Callisto'],
])('a search leads to the page of %s', async (_kind, query, path) => {
  expect(await search(query === 'its number' ? String(ids.failed) : query)).toBe(path());
});

it('a search lists what has the text, by kind', async () => {
  const html = await search('zs');
  expect(html.match(/(?<=">)[\w-]*zsh[\w-]*/g)).toEqual(['zsh', 'zsh-antigen', 'libzsh']);
  expect(html).toContain('<meta name="robots" content="noindex,nofollow">');
  expect(html).toContain('value="zs"');
  const { signature } = ERROR;
  expect(await search('REFERENCE to')).toBe(`/status/errors/${signature}`);
  expect(await json('/packages/-/search.json?query=glib')).toMatchObject({
    query: 'glib',
    packages: [],
    has_more: false,
    triggers: [{ name: 'glibc/2.42-3', url: '/triggers/glibc/2.42-3' }],
  });
});

it('a search for a name with a slip offers the tested packages with a similar name', async () => {
  const answer = (): Promise<{ near_packages: unknown[] }> =>
    json('/packages/-/search.json?query=libatals-perl');
  expect(await until(async () => (await answer()).near_packages.length > 0)).toBe(true);
  expect(await answer()).toMatchObject({
    packages: [],
    near_packages: [{ name: 'libatlas-perl', url: '/packages/liba/libatlas-perl/' }],
  });
});

it('the page of a package without runs has links to tested packages with a similar name', async () => {
  const page = async (): Promise<Response> =>
    api.fetch('/packages/liba/libatals-perl/', { headers: { Accept: 'text/html' } });
  const link = '<a href="/packages/liba/libatlas-perl/">libatlas-perl</a>';
  expect(await until(async () => (await (await page()).text()).includes(link))).toBe(true);
  const answer = await page();
  expect(answer.status).toBe(404);
  expect(await answer.text()).not.toContain('libatlas-perk');
});

it('a number that is a run and a part of a name leads to neither: both are listed', async () => {
  await api.submit(`${ids.failed}-tool`);
  const html = await search(String(ids.failed));
  expect(html).toContain(`Run ${ids.failed}: dash on bookworm/amd64`);
  expect(html).toContain(`${ids.failed}-tool`);
});

it.each([
  ['the name', () => 'zsh-hidden'],
  ['the number', () => String(ids.hidden)],
  ['the trigger', () => 'hidden/1.0'],
  ['hostile text', () => EVIL],
])('a search finds nothing by %s of a private run, or by hostile text', async (_what, query) => {
  const html = await search(query());
  expect(html).toContain(NOTHING);
  expect(html).not.toContain(EVIL);
  expect(await json(`/-/suggest?query=${encodeURIComponent(query())}`)).toEqual([]);
});

it('users find their own private runs', async () => {
  const browser = await api.logIn('alice');
  expect(await search('zsh-hidd', browser)).toBe(`/packages/z/zsh-hidden/bookworm/amd64/${ids.hidden}/`);
});

it('suggestions are the run or the trigger that the text names, and packages', async () => {
  expect(await json('/-/suggest?query=zsh')).toEqual([
    { name: 'zsh', url: '/packages/z/zsh/' },
    { name: 'zsh-antigen', url: '/packages/z/zsh-antigen/' },
    { name: 'libzsh', url: '/packages/libz/libzsh/' },
  ]);
  expect(await json('/packages/-/suggest?query=libz')).toEqual([
    { name: 'libzsh', url: '/packages/libz/libzsh/' },
  ]);
  expect(await json('/-/suggest?query=glibc/2.42-3')).toEqual([
    { name: 'glibc/2.42-3', url: '/triggers/glibc/2.42-3' },
  ]);
  expect((await api.fetch('/-/suggest?query=a&query=b')).status).toBe(400);
});

it('an empty search is a page that explains what can be found', async () => {
  expect(await pageOf(api, '/packages/-/search')).toContain(NOTHING);
});
