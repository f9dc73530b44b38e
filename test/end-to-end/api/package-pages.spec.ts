import { leastStatements } from '@test/support/statements';
import { startApi } from '@test/support/api';
import type { RunningApi } from '@test/support/api';
import { pageOf, rows } from '@test/support/pages';

/** Statements that the page of a package may take, however many places fail. */
const QUERIES_MAX = 10;

let api: RunningApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

const EVIL = `<script>alert("x")</script>&'`;

const page = (path: string): Promise<string> => pageOf(api, path);

it('a package without a requested run has no page and no history, and no package has one under another prefix', async () => {
  await api.submit('asked-for');
  expect(await page('/packages/a/asked-for/')).toContain(
    'No public run of this package has finished here yet. 1 run is waiting.',
  );
  expect(await page('/packages/a/asked-for/trixie/arm64/')).toContain(
    'No public run of this package has finished here yet.',
  );
  await api.submit('hidden-name', { is_private: true });
  const unknown = [
    'n/nothing',
    'n/nothing/trixie',
    'n/nothing/trixie/arm64',
    'h/hidden-name',
    'h/hidden-name/trixie/arm64',
  ];
  for (const path of unknown)
    expect([path, (await api.fetch(`/packages/${path}/`)).status]).toEqual([path, 404]);
  for (const path of ['/packages/l/libnew/', '/packages/zz/', '/packages/q/', '/packages/N/No/'])
    expect([path, (await api.fetch(path)).status]).toEqual([path, 404]);
});

it('shorter addresses lead to the page of a package, and to a suite on it', async () => {
  await api.submit('short');
  const places = {
    '/short': '/packages/s/short/',
    '/packages/s/short/trixie/': '/packages/s/short/#suite-trixie',
  };
  for (const [path, to] of Object.entries(places)) {
    const { status, headers } = await api.fetch(path);
    expect([path, status, headers.get('location')]).toEqual([path, 302, to]);
  }
  for (const path of ['/unknown-name', '/Short', '/packages/s/short/sid/'])
    expect([path, (await api.fetch(path)).status]).toEqual([path, 404]);
});

it('the newest result of a package has an address, and its state a badge', async () => {
  const [first, second] = [await api.submit('badged'), await api.submit('badged')];
  expect((await api.fetch('/packages/b/badged/bookworm/amd64/latest')).status).toBe(404);
  const badge = async (path: string): Promise<string> => {
    const response = await api.fetch(`/packages/b/badged/${path}badge.svg`);
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'image/svg+xml; charset=utf-8',
    ]);
    return /<title>(.*)<\/title>/.exec(await response.text())![1]!;
  };
  expect([await badge(''), await badge('bookworm/amd64/')]).toEqual(Array(2).fill('autopkgtest: not tested'));
  await api.finish(first);
  await api.finish(second, { verdict: 'fail' });
  const latest = await api.fetch('/packages/b/badged/bookworm/amd64/latest');
  expect(latest.headers.get('location')).toBe(`/packages/b/badged/bookworm/amd64/${second}/`);
  expect([await badge(''), await badge('bookworm/amd64/')]).toEqual(Array(2).fill('autopkgtest: fail'));
});

it('a history shows what is under way, and of the finished runs those that were asked for', async () => {
  const [passed, failedRun] = [
    await api.submit('filtered'),
    await api.submit('filtered', { trigger: 'glibc/2.40' }),
  ];
  await api.finish(passed);
  await api.finish(failedRun, { verdict: 'fail' });
  const waiting = await api.submit('filtered', { trigger: EVIL });
  const path = '/packages/f/filtered/bookworm/amd64/';
  const html = await page(path);
  for (const url of [
    'https://tracker.example/pkg/filtered',
    'https://sources.example/filtered/1.0-1?on=bookworm-amd64',
  ])
    expect(html).toContain(`<a href="${url}" rel="nofollow noopener">`);
  expect(await page('/packages/f/filtered/')).not.toContain('sources.example');
  const all = rows(html);
  expect(all).toContainEqual([
    String(waiting),
    'waiting',
    expect.any(String),
    '',
    expect.stringContaining('&lt;script'),
  ]);
  const shownRuns = async (query: string): Promise<string[]> => {
    const html = await page(path + query);
    return [...html.matchAll(/run log of run (\d+)/g)].map(([, runId]) => runId!);
  };
  expect(await shownRuns('')).toEqual([String(failedRun), String(passed)]);
  expect(await shownRuns('?status=fail&trigger=&pinned=')).toEqual([String(failedRun)]);
  expect(await shownRuns('?trigger=GLIBC/')).toEqual([String(failedRun)]);
  expect(await shownRuns('?pinned=no&status=pass')).toEqual([String(passed)]);
  expect(await shownRuns('?pinned=yes')).toEqual([]);
  const data = '/data/packages/bookworm/amd64/f/filtered/history.json';
  expect(await page(`${path}?status=fail&trigger=GLIBC/`)).toContain(
    `href="${data}?status=fail&amp;trigger=GLIBC%2F"`,
  );
  const idsOf = async (query: string) =>
    ((await (await api.fetch(data + query)).json()) as { run_id: number }[]).map(({ run_id }) => run_id);
  expect(await idsOf('')).toEqual([passed, failedRun]);
  expect(await idsOf('?status=fail&trigger=GLIBC/')).toEqual([failedRun]);
  expect(await idsOf(`?pinned=no&status=pass&before=${failedRun}`)).toEqual([passed]);
  expect(await idsOf('?pinned=yes')).toEqual([]);
  const numbered = async (query: string): Promise<unknown[]> => {
    const { status, headers } = await api.fetch(path + query);
    return [query, status, headers.get('location')];
  };
  expect(await numbered('?page=1&status=fail')).toEqual(['?page=1&status=fail', 302, `${path}?status=fail`]);
  expect(await numbered('?page=2')).toEqual(['?page=2', 404, null]);
  expect(await numbered('?page=101')).toEqual(['?page=101', 404, null]);
  expect(await numbered('?page=0')).toEqual(['?page=0', 400, null]);
  for (const query of ['?status=x', '?pinned=maybe', '?trigger=a&trigger=b', '?trigger=%00'])
    for (const target of [path + query, data + query])
      expect([target, (await api.fetch(target)).status]).toEqual([target, 400]);
});

it('where a package fails, a card says since which change, with which error and note, and retries it', async () => {
  const bob = await api.logIn('bob');
  const passed = await api.submit('broken');
  await api.finish(passed);
  const failedRun = await api.submit('broken', { trigger: 'glibc/2.40-4' });
  const excerpt = { firstLine: 40, errorLine: 41, lines: ['before', `E: ${EVIL}`] };
  await api.finish(failedRun, { verdict: 'fail', error: { signature: 'a1b2', excerpt } });
  for (const [runId, libc6] of [
    [passed, '2.40-3'],
    [failedRun, '2.40-4'],
  ] as const) {
    const packages = {
      testbed: new Map([['libc6', libc6]]),
      added: new Map([['bash', '5']]),
      suites: new Map([['bash', 'sid']]),
    };
    const testbed = { packages, kernel: null, withoutInitLine: null, fallback: null, tests: [] };
    await api.database.runTestbeds.saveTestbed((await api.database.results.find(runId))!, testbed, {
      versions: [],
      suites: [],
    });
  }
  await api.database.statusProjection.step('amd64');
  const runPath = `/packages/b/broken/bookworm/amd64/${failedRun}/`;
  await bob.submit(runPath, '/notes', { subject: 'place', text: 'Known upstream', bugs: '#7' });
  const html = await page('/packages/b/broken/');
  expect(html).toContain(`href="/compare/${passed}...${failedRun}"`);
  expect(html).toContain('1 package version differs');
  expect(html).toContain('<mark>41  E: &lt;script&gt;');
  expect(html).toContain('href="/status/errors/a1b2"');
  expect(html).toContain('Known upstream');
  expect(html).toContain(`href="/api/v1/retry/${failedRun}"`);
  const retried = await bob.submit('/packages/b/broken/', `/user/bob/retry/${failedRun}`, {});
  expect(retried.status).toBe(303);
  expect(await page('/packages/b/broken/')).toMatch(/Run \d+ is the retry/);
  // However many places fail, the page asks the database as often.
  const one = await leastStatements(() => page('/packages/b/broken/'));
  const created = await api.api('/test/trixie/amd64/broken', { method: 'POST' });
  const { runs } = (await created.json()) as { runs: { run_id: number }[] };
  await api.finish(runs[0]!.run_id, { verdict: 'fail', error: { signature: 'a1b2', excerpt } });
  expect(await leastStatements(() => page('/packages/b/broken/'))).toBe(one);
  expect(one).toBeLessThanOrEqual(QUERIES_MAX);
});
