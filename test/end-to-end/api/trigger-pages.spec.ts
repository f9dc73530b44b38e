import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Verdict } from '@proctor/contracts';
import { startApi } from '@test/support/api';
import type { RunningApi } from '@test/support/api';
import { packedArtifacts } from '@test/support/artifacts';
import { Browser } from '@test/support/browser';
import { rows } from '@test/support/pages';

let api: RunningApi;
let bob: Browser;
beforeAll(async () => {
  api = await startApi();
  bob = await api.logIn('bob');
});
afterAll(() => api.stop());

const NONE = { passed: 0, failed: 0, broken: 0, untested: 0, running: 0, waiting: 0 };

it('the list, the feed and the page of a trigger count the same tests: the newest run of each place, unless it was cancelled', async () => {
  const name = 'counted/2';
  const finish = async (verdict: Verdict): Promise<number> => {
    const runId = await api.submit(verdict, { trigger: name });
    await api.finish(runId, { verdict });
    return runId;
  };
  const again = await finish('fail');
  for (const verdict of ['fail', 'pass', 'neutral', 'tmpfail', 'absent'] as const) await finish(verdict);
  const runs = await api.database.triggerRuns.of(name, {});
  expect(runs.filter((run) => run.package === 'fail').map(({ runId }) => runId)).toContain(again);
  await api.submit('waits', { trigger: name });
  await api.api(`/test/${await api.submit('cancelled', { trigger: name })}`, { method: 'DELETE' });

  const counts = { ...NONE, passed: 2, failed: 1, broken: 1, untested: 1, waiting: 1 };
  expect((await api.database.triggerRuns.list(name, 1, null)).triggers).toMatchObject([
    { ...counts, runs: 8, unfinished: 1, failedRuns: 2, suites: ['bookworm'] },
  ]);
  const words = ['2 passed', '1 failed', '1 could not run', '1 not in the suite', '1 waiting'];
  const [list, page] = [await bob.textOf(`/triggers/?query=counted`), await bob.textOf(`/triggers/${name}`)];
  for (const html of [list, page]) {
    expect(outcomesIn(html)).toEqual(words);
    expect(html).toContain('5 of 6');
  }
  expect(rows(list)[1]!.slice(0, 2)).toEqual([name, 'bookworm']);
  expect(await (await api.fetch('/triggers/feed.xml')).text()).toContain('5 of 6 done, 1 failed');
});

/** The words beside the first bar of a page. */
function outcomesIn(html: string): string[] {
  const [list] = /<ul class="outcome-words">(.*?)<\/ul>/s.exec(html) ?? [''];
  return [...list.matchAll(/<\/svg>([^<]+)/g)].map(([, words]) => words!);
}

it('a trigger that nothing can test says why its tests wait', async () => {
  const headers = { 'Content-Type': 'application/json' };
  const body = JSON.stringify({ trigger: 'stuck/1' });
  await api.api('/test/trixie/arm64/here', { method: 'POST', headers, body });
  const html = await bob.textOf('/triggers/stuck/1');
  expect(html).toContain('href="https://tracker.example/pkg/stuck"');
  expect(html).not.toContain('sources.example');
  expect(rows(html)[1]).toEqual([
    'arm64',
    '1 waiting',
    '0 of 1',
    'unknown',
    'no scheduler answers for arm64',
  ]);
});

it('a trigger is a table of packages and places: failures first, with reference, error and retry in the cell', async () => {
  const name = 'matrix/1';
  const error = { signature: 'abad1dea', excerpt: { firstLine: 1, errorLine: 1, lines: ['E: <i>gone</i>'] } };
  const endedRun = async (pkg: string, verdict: Verdict, trigger = name): Promise<number> => {
    const runId = await api.submit(pkg, { trigger });
    await api.finish(runId, { verdict, ...(verdict === 'fail' && trigger === name && { error }) });
    return runId;
  };
  await endedRun('aaa', 'pass');
  const reference = await endedRun('worse', 'pass', 'migration-reference/0');
  const worse = await endedRun('worse', 'fail');
  await endedRun('as-bad', 'fail', 'migration-reference/0');
  await endedRun('as-bad', 'fail');
  const hidden = await api.submit('hidden-one', { trigger: name, is_private: true });
  await api.finish(hidden, { verdict: 'fail' });
  const html = await bob.textOf(`/triggers/${name}`);
  const table = html.slice(html.indexOf('class="grid"'));
  expect(rows(table).map(([head]) => head)).toEqual(['Package', 'worse', 'as-bad', 'aaa']);
  expect(rows(table)[0]![1]).toBe('amd64 2 fail');
  expect(table).toContain(`href="/compare/${reference}...${worse}"`);
  expect(table).toContain('aria-label="fail: worse on bookworm/amd64, error A"');
  expect(html).toMatch(
    /<strong>A<\/strong> <a href="[^"]*signature=abad1dea">2 runs<\/a> <code>E: &lt;i&gt;/,
  );
  expect(html).not.toContain('hidden-one');

  const alike = await bob.textOf(`/triggers/${name}?signature=abad1dea`);
  expect(rows(alike.slice(alike.indexOf('class="grid"'))).map(([head]) => head)).toEqual([
    'Package',
    'worse',
    'as-bad',
  ]);
  expect(await bob.textOf(`/triggers/${name}?name=zzz`)).toContain('No package matches.');
  expect((await bob.get(`/triggers/${name}?after=zzz`)).status).toBe(404);

  const stranger = await new Browser(api.url).textOf(`/triggers/${name}`);
  expect(stranger).toContain(`href="/api/v1/retry/${worse}"`);
  expect(stranger).not.toContain('<form method="post"');
  const answer = await bob.submit(`/triggers/${name}`, `/triggers/${name}/retry`, { run_ids: String(worse) });
  expect([answer.status, answer.headers.get('location')]).toEqual([303, `/triggers/${name}`]);
  const after = await bob.textOf(`/triggers/${name}`);
  expect(after).toContain('1 run requested again: <a href="/runs/');
  expect(after).toContain('aria-label="waiting: worse on bookworm/amd64"');
});

describe('the changes of the version of a trigger', () => {
  const entry = (version: string, change: string): string =>
    `changed (${version}) unstable; urgency=medium\n\n  * ${change}\n\n -- Ada <ada@mail.example>  Thu, 01 Jan 2026 00:00:00 +0000\n\n`;
  const CHANGELOG =
    entry('2.0-1', 'New <b>upstream</b>.') + entry('1.1-1', 'In between.') + entry('1.0-1', 'Long ago.');

  async function finish(
    trigger: string,
    version: string,
    fields: Record<string, unknown> = {},
  ): Promise<void> {
    const runId = await api.submit('changed', { trigger, ...fields });
    const { archive, index } = await packedArtifacts({ 'testpkg-changelog': CHANGELOG });
    const files = { 'artifacts.tar.gz': archive, 'artifacts-index.json': index };
    for (const [name, content] of Object.entries(files) as [keyof typeof files, Buffer][]) {
      const sha256 = createHash('sha256').update(content).digest('hex');
      await api.store.save(runId, 1, name, Readable.from([content]), { size: content.length, sha256 });
    }
    await api.finish(runId, { version });
  }

  it('are those since the version that passed before, and a reference counts more than a later pass', async () => {
    await finish('changed/1.0-1', '1.0-1');
    await finish('changed/2.0-1', '2.0-1');
    const html = await bob.textOf('/triggers/changed/2.0-1');
    expect(html).toContain('Changes in the package since 1.0-1');
    expect(html).toContain('New &lt;b&gt;upstream&lt;/b&gt;.');
    expect(html).toContain('In between.');
    expect(html).not.toContain('Long ago.');
    await finish('migration-reference/0', '1.1-1');
    await finish('other/1', '1.0-1');
    await finish('changed/2.0-1', '2.0-1');
    expect(await bob.textOf('/triggers/changed/2.0-1')).toContain('Changes in the package since 1.1-1');
    expect(html).not.toContain('ada@mail.example');
    expect(html).toMatch(
      /<a href="\/packages\/c\/changed\/bookworm\/amd64\/\d+\/artifacts\/testpkg-changelog\?text=yes"/,
    );
  });

  it('are on no page when only private runs, or runs with sources of their own, have tested it', async () => {
    await finish('changed/1.1-1', '1.1-1', { is_private: true });
    await finish('changed/1.1-1', '1.1-1', { extra_apt_sources: ['backports'] });
    const html = await bob.textOf('/triggers/changed/1.1-1');
    expect(html).not.toContain('Changes in the package');
    expect(html).not.toContain('In between.');
  });
});
