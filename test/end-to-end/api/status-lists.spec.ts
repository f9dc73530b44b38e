import type { OtherPackages } from '@proctor/contracts';
import type { StoredTestbed } from '@proctor/database';
import { startApi } from '@test/support/api';
import type { RunningApi } from '@test/support/api';
import { awayFromMidnight } from '@test/support/midnight';
import { pageOf, rows } from '@test/support/pages';

const EVIL = `<script>alert("x")</script>&'`;
const TIME = expect.stringMatching(/ UTC$/);
const STRIP = expect.any(String);
const NONE = { versions: [], suites: [] };
const ids: Record<string, number> = {};

let api: RunningApi;

async function finishedRun(
  name: string,
  parameters: object = {},
  outcome: object = {},
  arch = 'amd64',
): Promise<number> {
  const headers = { 'Content-Type': 'application/json' };
  const body = JSON.stringify(parameters);
  const answer = await api.api(`/test/bookworm/${arch}/${name}`, { method: 'POST', headers, body });
  const runId = ((await answer.json()) as { runs: { run_id: number }[] }).runs[0]!.run_id;
  await api.finish(runId, outcome);
  return runId;
}

async function executedIn(runId: number, testbed: StoredTestbed, others: OtherPackages): Promise<void> {
  await api.database.runTestbeds.saveTestbed((await api.database.results.find(runId))!, testbed, others);
}

beforeAll(async () => {
  await awayFromMidnight();
  api = await startApi({ server: { publicUrl: 'https://ci.example' } });
  await finishedRun('steady');
  ids.was = await finishedRun('broken');
  ids.broken = await finishedRun(
    'broken',
    { trigger: `glibc/2.40 ${EVIL}` },
    { verdict: 'fail', version: '2-1', message: EVIL },
  );
  await finishedRun('mended', {}, { verdict: 'fail' });
  ids.mended = await finishedRun('mended', {}, { version: '3-1' });
  ids.alert = await finishedRun('alarming', {}, { verdict: 'tmpfail', message: 'no network' });
  for (let time = 0; time < 8; time += 1)
    await finishedRun('wavering', {}, { verdict: time % 2 ? 'pass' : 'fail' });
  ids.other = await finishedRun('asked', { trigger: 'asked/2-1 glibc/2.40' }, { version: '1-1' });
  await finishedRun('asked', { trigger: 'asked/2-1' }, { version: '2-1' });
  for (const name of ['broken', 'asked'])
    await finishedRun(
      name,
      { is_private: true, trigger: 'asked/9-9' },
      { verdict: 'fail', message: 'secret' },
    );
  await finishedRun('asked', { trigger: 'asked/0 asked/' }, { version: '2-1' });
  const all = {
    packages: null,
    kernel: null,
    withoutInitLine: null,
    tests: [],
    fallback: { line: 3, release: 'sid' },
  };
  ids.pinned = await finishedRun('pinned', { trigger: 'perl/5.40' });
  await executedIn(
    ids.pinned,
    { ...all, fallback: null },
    { versions: [{ package: 'perl', wanted: '5.40', installed: '5.38' }], suites: [] },
  );
  const experimental = { suite: EVIL, packages: ['a', 'b', 'c', 'd'], more: 2 };
  ids.elsewhere = await finishedRun('elsewhere', { trigger: 'a/1' });
  await executedIn(ids.elsewhere, { ...all, fallback: null }, { versions: [], suites: [experimental] });
  ids.unpinned = await finishedRun('unpinned', { trigger: 'unpinned/2-1' }, { version: '1-1' });
  await executedIn(ids.unpinned, all, NONE);
  await executedIn(await finishedRun('concealed', { is_private: true, trigger: 'perl/5' }), all, NONE);
  await executedIn(await finishedRun('steady'), { ...all, fallback: null }, NONE);
  ids.waits = await api.submit('later', { trigger: EVIL, priority: 3 });
  ids.first = await api.submit('sooner', { priority: 7 });
  await api.submit('concealed', { is_private: true });
  while (await api.database.statusProjection.step('amd64'));
  while (await api.database.dayStatistics.step('amd64'));
});
afterAll(() => api.stop());

const page = (path: string): Promise<string> => pageOf(api, path);
/** As a program reads it. */
const data = async (path: string) =>
  (await (await api.fetch(path)).json()) as { items: Record<string, unknown>[]; next: string | null };
const names = async (path: string): Promise<unknown[]> =>
  (await data(path)).items.map((item) => item.package);

it.each([
  [
    'failing',
    [
      [
        'broken',
        'bookworm/amd64',
        TIME,
        '2-1',
        STRIP,
        expect.stringContaining('&lt;script'),
        expect.stringMatching(/^glibc\/2.40 &lt;/),
      ],
    ],
  ],
  ['alerts', [['alarming', 'bookworm/amd64', 'tmpfail', TIME, 'no network', STRIP]]],
  ['flaky', [['wavering', 'bookworm/amd64', '7', STRIP, 'pass', '1.0-1']]],
  [
    'pending',
    [
      ['sooner', 'bookworm/amd64', expect.any(String), TIME, '7', ''],
      ['later', 'bookworm/amd64', expect.any(String), TIME, '3', expect.stringContaining('&lt;script')],
    ],
  ],
  [
    'pending/bookworm',
    [
      ['sooner', 'bookworm/amd64', expect.any(String), TIME, '7', ''],
      ['later', 'bookworm/amd64', expect.any(String), TIME, '3', expect.stringContaining('&lt;script')],
    ],
  ],
  ['pending/trixie', []],
  [
    'mismatches',
    [
      [
        ...['unpinned', 'bookworm/amd64', expect.any(String)],
        'The trigger names version 2-1 of unpinned, but 1-1 was tested. apt could not satisfy the pins and took all packages from sid.',
        ...['1-1', 'pass', TIME, 'unpinned/2-1'],
      ],
      [
        ...['elsewhere', 'bookworm/amd64', expect.any(String)],
        expect.stringMatching(/^a, b, c and 3 more came from &lt;script.*, which was not requested\.$/),
        ...['1.0-1', 'pass', TIME, 'a/1'],
      ],
      [
        ...['pinned', 'bookworm/amd64', expect.any(String)],
        'The trigger names version 5.40 of perl, but 5.38 was installed.',
        ...['1.0-1', 'pass', TIME, 'perl/5.40'],
      ],
      [
        ...['asked', 'bookworm/amd64', expect.any(String)],
        'The trigger names version 2-1 of asked, but 1-1 was tested.',
        ...['1-1', 'pass', TIME, 'asked/2-1 glibc/2.40'],
      ],
    ],
  ],
  ['reject_list', expect.arrayContaining([['blocked', 'all', 'all', 'all', TIME]])],
  ['slow', []],
])('the list %s shows what belongs to it, and no private run', async (name, expected) => {
  const html = await page(`/status/${name}/`);
  expect(rows(html).slice(1)).toEqual(expected);
  expect(html).not.toMatch(/secret|concealed/);
  expect(html).toMatch(
    /<link rel="alternate" type="application\/atom\+xml"[^>]*href="\/status\/[a-z_-]+\.xml/,
  );
  expect(html).toMatch(/<link rel="alternate" type="application\/json" href="\/status\/[a-z_-]+\.json/);
  for (const [, link] of html.matchAll(/href="(\/status\/[^"]*)"/g))
    expect([link, (await api.fetch(link!.replaceAll('&amp;', '&'))).status]).toEqual([link, 200]);
});

it('the list of changes has what began to fail and what passes again since a day', async () => {
  const today = new Date().toISOString().slice(0, 10);
  const html = await page(`/status/changes/?since=${today}`);
  expect(html).toContain(`changes since ${today} 00:00:00 UTC`);
  const cells = rows(html)
    .slice(1)
    .map(([name, , change]) => [name, change]);
  expect(cells).toEqual([
    ['wavering', 'pass'],
    ['mended', 'pass'],
    ['broken', 'fail'],
  ]);
  expect(await names('/status/changes.json?since=2100-01-01')).toEqual([]);
  expect((await data('/status/changes.json')).items[1]).toMatchObject({
    package: 'mended',
    recovered: { run_id: ids.mended, version: '3-1', trigger: null },
    failing_since: null,
  });
});

it('a list is the same for programs, by package, suite and architecture', async () => {
  const { items, next } = await data('/status/failing.json?suite=bookworm&arch=amd64&package=bro*');
  expect(next).toBeNull();
  expect(items).toMatchObject([
    {
      ...{
        package: 'broken',
        suite: 'bookworm',
        arch: 'amd64',
        status: 'fail',
        version: '2-1',
        run_id: ids.broken,
      },
      ...{ previous_status: 'pass', message: EVIL, page_url: '/packages/b/broken/bookworm/amd64/' },
      failing_since: { run_id: ids.broken, trigger: `glibc/2.40 ${EVIL}` },
      last_pass: { run_id: ids.was },
    },
  ]);
  for (const other of ['suite=trixie', 'arch=arm64', 'package=oke', 'package=brok_n'.replace('_', '-')])
    expect([other, await names(`/status/failing.json?${other}`)]).toEqual([other, []]);
  const several = await data('/status/failing.json?suite=trixie,bookworm&arch=arm64&arch=amd64&package=bro*');
  expect(several).toMatchObject({
    filter: { suites: ['trixie', 'bookworm'], architectures: ['arm64', 'amd64'] },
    items: [{ package: 'broken' }],
  });
  const choice = '(suites trixie or bookworm, architecture amd64)';
  expect(await page('/status/failing/?suite=trixie&suite=bookworm&arch=amd64&arch=')).toContain(choice);
  expect(await names('/status/slow.json?minutes=1')).toEqual([]);
  expect(await names('/status/reject_list.json?package=block*&suite=trixie')).toEqual(['blocked']);
  expect((await data('/status/mismatches.json')).items).toMatchObject([
    {
      ...{ run_id: ids.unpinned, wanted_version: '2-1', fallback_release: 'sid' },
      ...{ other_versions: [], other_suites: [] },
    },
    {
      ...{ run_id: ids.elsewhere, wanted_version: null, fallback_release: null, other_versions: [] },
      other_suites: [{ suite: EVIL, packages: ['a', 'b', 'c', 'd'], more: 2 }],
    },
    {
      ...{ run_id: ids.pinned, wanted_version: null, fallback_release: null },
      other_versions: [{ package: 'perl', wanted: '5.40', installed: '5.38' }],
    },
    { run_id: ids.other, wanted_version: '2-1', other_versions: [] },
  ]);
  expect((await data(`/status/mismatches.json?after=${ids.unpinned}`)).items).toMatchObject([
    { run_id: ids.elsewhere },
    { run_id: ids.pinned },
    { run_id: ids.other },
  ]);
});

it('a feed of a list has an entry for each that is known again, and is XML whatever it says', async () => {
  const response = await api.fetch('/status/failing.xml');
  expect(response.headers.get('content-type')).toBe('application/atom+xml; charset=utf-8');
  const xml = await response.text();
  expect([...xml.matchAll(/<id>(.*?)<\/id>/g)].map(([, id]) => id)).toEqual([
    'https://ci.example/status/failing.xml',
    `https://ci.example/packages/b/broken/bookworm/amd64/${ids.broken}/`,
  ]);
  expect(xml).toContain('broken fails on bookworm/amd64 since 2-1');
  expect(xml).not.toContain('<script>');
  const headers = { 'If-None-Match': response.headers.get('etag')!, 'Cache-Control': 'max-age=0' };
  expect((await api.fetch('/status/failing.xml', { headers })).status).toBe(304);
});

it('statistics show how runs and packages went, day by day, without private runs', async () => {
  const html = await page('/status/statistics/?days=30&suite=bookworm');
  expect(html).toContain('1 of 9 packages on suites and architectures fail now, and 1 could not be tested.');
  expect(html).toContain('21 public runs finished in 30 days');
  expect(html.match(/<svg class="figure" [^>]*role="group" aria-label="[^"]+"/g)).toHaveLength(4);
  expect(rows(html)[1]).toEqual([
    new Date().toISOString().slice(0, 10),
    ...['7', '1', '1', '14', '6', '1', '0', expect.stringMatching(/^(under a second|\d+ s)$/)],
  ]);
  for (const [, link] of html.matchAll(/href="(\/status\/statistics[^"]*)"/g))
    expect([link, (await api.fetch(link!.replaceAll('&amp;', '&'))).status]).toEqual([link, 200]);
  expect(html).toContain('href="/status/statistics.xml?days=30&amp;suite=bookworm"');
  const feed = await api.fetch('/status/statistics.xml?days=30');
  // The day goes on.
  expect([feed.headers.get('content-type'), (await feed.text()).includes('<entry>')]).toEqual([
    'application/atom+xml; charset=utf-8',
    false,
  ]);
  const answer = await api.fetch('/status/statistics.json?days=365&arch=amd64');
  const { days } = (await answer.json()) as { days: object[] };
  expect(days).toHaveLength(365);
  expect(days[0]).toMatchObject({ packages: null, runs: { pass: 0 }, mean_wait_seconds: null });
  expect(days[364]).toMatchObject({
    packages: { fail: 1 },
    started_runs: 21,
    began_within: { quarter_hour: 21 },
  });
  const refusal = await api.fetch('/status/statistics/?days=7');
  expect([refusal.status, await refusal.json()]).toMatchObject([
    400,
    { detail: 'days must be one of 30, 90, 365, not "7".' },
  ]);
  expect(rows(await page('/status/'))[1]).toEqual(['bookworm', 'amd64', '7', '1', '1', '9']);
});

it('the packages of a prefix are there for programs too', async () => {
  const html = await page('/packages/b/');
  expect(html).toContain('<link rel="alternate" type="application/json" href="/packages/b.json">');
  expect(await (await api.fetch('/packages/b.json')).json()).toMatchObject({
    packages: [
      {
        package: 'broken',
        page_url: '/packages/b/broken/',
        statuses: [{ status: 'fail', run_id: ids.broken }],
      },
    ],
    next: null,
  });
  for (const path of ['/packages/b.json?after=fail:broken', '/packages/bb.json', '/packages/q.json'])
    expect([path, (await api.fetch(path)).status]).toEqual([path, 404]);
  expect(await page('/packages/b/?status=fail&suite=bookworm')).toContain('href="/packages/b/broken/"');
  expect(await page('/packages/b/?status=flaky')).toContain('No package matches.');
  const filteredPage = await page('/packages/b/?status=fail&arch=amd64');
  expect(filteredPage).toContain('href="/packages/b.json?status=fail&amp;arch=amd64"');
  expect(filteredPage).toContain('<option selected>fail</option>');
  for (const query of ['status=red', 'suite=a%20b', 'after=broken'])
    expect([query, (await api.fetch(`/packages/b/?${query}`)).status]).toEqual([query, 400]);
});
