import type { ResultResource } from '@proctor/resources';
import { TRIGGER_BYTES_LOOKED_AT_MAX, TRIGGER_WORDS_LOOKED_AT_MAX } from '@proctor/database';
import { startApi } from '@test/support/api';
import type { RunningApi } from '@test/support/api';
import { Browser, formIn, hiddenIn } from '@test/support/browser';
import { connectTo } from '@test/support/database';
import { rows } from '@test/support/pages';

let api: RunningApi;
let bob: Browser;
beforeAll(async () => {
  api = await startApi();
  bob = await api.logIn('bob');
});
afterAll(() => api.stop());

interface Answer {
  is_dry_run: boolean;
  runs: { run_id: number; package: string; new_run_id: number | null }[];
  refused: { package: string; reason: string }[];
  left: number;
  estimate: { seconds: number; without: number } | null;
}

const act = async (action: string, body: object, key = api.keys.bob): Promise<Answer> => {
  const headers = { 'Content-Type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await api.api(`/triggers/llvm/19/${action}`, init, key);
  expect(response.status).toBe(200);
  return (await response.json()) as Answer;
};
const namesOf = ({ runs, refused }: Answer): [string[], string[][]] => [
  runs.map((run) => run.package),
  refused.map((run) => [run.package, run.reason]),
];
const trigger = 'llvm/19';

it('many tests of a trigger are retried, cancelled or given new references, and what is refused is listed one by one', async () => {
  const failedRun = await api.submit('bad', { trigger });
  await api.finish(failedRun, { verdict: 'fail' });
  const broken = await api.submit('broken', { trigger }, api.keys.bob);
  await api.finish(broken, { verdict: 'tmpfail' });
  const hidden = await api.submit('hidden', { trigger, is_private: true });
  await api.finish(hidden, { verdict: 'fail' });
  const waits = await api.submit('waits', { trigger }, api.keys.bob);
  await api.submit('others', { trigger });
  const all = { group: 'regression,unknown,infrastructure,waiting' };

  const before = await api.database.runSearch.find({}, { everything: true }, 500);
  const preview = await act('retry', { ...all, dry_run: true });
  expect(namesOf(preview)).toEqual([
    ['bad', 'broken'],
    [
      ['others', 'It has not finished.'],
      ['waits', 'It has not finished.'],
    ],
  ]);
  expect(preview).toMatchObject({ is_dry_run: true, left: 0, estimate: { seconds: 60, without: 0 } });
  expect(await api.database.runSearch.find({}, { everything: true }, 500)).toHaveLength(before.length);

  const retried = await act('retry', { group: 'unknown' });
  expect(retried.runs).toMatchObject([{ run_id: failedRun, new_run_id: expect.any(Number) as number }]);
  const again = await act('retry', { run_ids: [failedRun, hidden] });
  expect(again.runs).toEqual([]);
  expect(again.refused).toMatchObject([
    {
      package: 'bad',
      reason: `Run ${retried.runs[0]!.new_run_id}, a retry of run ${failedRun}, has not finished.`,
    },
  ]);

  const refreshed = await act('refresh', { run_ids: [failedRun, broken] });
  expect(namesOf(refreshed)).toEqual([['broken', 'bad'], []]);
  const twice = await act('refresh', { run_ids: [failedRun] });
  const reference = refreshed.runs.find((run) => run.package === 'bad')!.new_run_id;
  expect(namesOf(twice)).toEqual([[], [['bad', `Run ${reference}, a reference, has not finished.`]]]);

  const cancelled = await act('cancel', { group: ['waiting'], reason: 'too many' });
  expect(namesOf(cancelled)).toEqual([
    ['waits'],
    [
      ['bad', 'Only its requestor and administrators may cancel it.'],
      ['others', 'Only its requestor and administrators may cancel it.'],
    ],
  ]);
  const { state, message } = (await api.database.results.find(waits))!;
  expect([state, message]).toEqual(['finished', 'cancelled by bob: too many']);
});

it('tests of a trigger are listed in parts', async () => {
  for (const name of ['a1', 'a2', 'a3']) await api.submit(name, { trigger: 'parts/1' });
  const part = async (query: string) => {
    const answer = await api.api(`/triggers/parts/1?${query}`);
    return (await answer.json()) as { tests: { result: ResultResource }[]; before: number | null };
  };
  const whole = await part('');
  expect(whole.before).toBeNull();
  const first = await part('limit=2');
  const rest = await part(`before=${first.before}`);
  expect([...first.tests, ...rest.tests].map(({ result }) => result.run_id)).toEqual(
    whole.tests.map(({ result }) => result.run_id),
  );
  expect((await api.api('/triggers/parts/1?before=999999')).status).toBe(404);
});

it('triggers are listed by their newest public run, in parts, and found by a part of their names', async () => {
  await api.submit('hidden', { trigger: 'secret/1', is_private: true });
  for (const name of ['gcc/1', 'boost/1', 'gcc/1']) await api.submit('more', { trigger: name });
  await api.submit('more', { trigger: 'zlib/1 migration-reference/0' });
  const list = async (query: string) => {
    const answer = await api.api(`/triggers?${query}`);
    return (await answer.json()) as {
      triggers: { trigger: string; runs: number }[];
      before: number | null;
    };
  };
  const { triggers } = await list('');
  expect(triggers[0]).toMatchObject({ trigger: 'zlib/1', runs: 1, unfinished: 1, failed: 0 });
  expect(triggers.map((each) => each.trigger)).not.toContain('secret/1');
  const parts: string[] = [];
  for (let before: number | null = Number.MAX_SAFE_INTEGER; before !== null;) {
    const part = await list(`limit=1&before=${before}`);
    parts.push(...part.triggers.map((each) => each.trigger));
    before = part.before;
  }
  expect(parts).toEqual(triggers.map((each) => each.trigger));
  expect((await list('query=cc')).triggers.map((each) => each.trigger)).toEqual(['gcc/1']);
});

it('triggers of a package are found however many runs came after them, by package or the beginning of a version', async () => {
  for (const name of ['sql/1.0', 'sql/1.1', 'sql/2.0', 'sql/1.1 late/1'])
    await api.submit('old', { trigger: name });
  await api.submit('hidden', { trigger: 'sql/3.0', is_private: true });
  const client = await connectTo(api.databaseUrl);
  await client.query(`
    insert into runs (package, suite, arch, backend, variant, priority, trigger, pin_packages, extra_apt_sources, is_private,
      requestor_id, api_key_id, created_at, updated_at)
    select 'newer', suite, arch, backend, variant, priority, 'mysql/n' || n, pin_packages, extra_apt_sources, false,
      requestor_id, api_key_id, now(), now()
    from generate_series(1, 10001) n cross join (select * from runs order by run_id limit 1) made`);
  await client.end();
  const list = async (query: string) => {
    const answer = await api.api(`/triggers?${query}`);
    const { triggers, before } = (await answer.json()) as {
      triggers: { trigger: string; runs: number }[];
      before: number | null;
    };
    return { found: triggers.map(({ trigger, runs }) => [trigger, runs]), before };
  };
  expect(await list('query=sql')).toEqual({
    found: [
      ['sql/1.1', 2],
      ['sql/2.0', 1],
      ['sql/1.0', 1],
    ],
    before: null,
  });
  const first = await list('query=sql&limit=2');
  expect(first.found).toHaveLength(2);
  expect(await list(`query=sql&limit=2&before=${first.before}`)).toEqual({
    found: [['sql/1.0', 1]],
    before: null,
  });
  expect((await list('query=sql/1')).found.map(([name]) => name)).toEqual(['sql/1.1', 'sql/1.0']);
  expect((await list('query=ysql/n1&limit=1')).found).toEqual([['mysql/n10001', 1]]);
  expect((await list('query=sql/3.0')).found).toEqual([]);
});

it('the tests of a trigger are shown by suite and architecture, and as JSON of the same', async () => {
  for (const [suite, arch] of [
    ['bookworm', 'amd64'],
    ['trixie', 'amd64'],
    ['trixie', 'arm64'],
  ] as const) {
    const headers = { 'Content-Type': 'application/json' };
    const body = JSON.stringify({ trigger: 'filtered/1' });
    await api.api(`/test/${suite}/${arch}/here`, { method: 'POST', headers, body });
  }
  const path = '/triggers/filtered/1';
  const of = async (query: string) => {
    const html = await bob.textOf(`${path}?${query}`);
    const json = /href="([^"]*tests\.json[^"]*)"/.exec(html)![1]!.replaceAll('&amp;', '&');
    const { tests } = (await (await api.fetch(json)).json()) as { tests: { result: ResultResource }[] };
    const shownRows = rows(html.slice(html.indexOf('Select')));
    return [
      shownRows.map(([, , where]) => where).filter((where) => where?.includes('/')),
      tests.map(({ result }) => `${result.suite}/${result.arch}`),
      /Waiting <span class="dim">(\d+)</.exec(html)![1],
    ];
  };
  const all = ['trixie/arm64', 'trixie/amd64', 'bookworm/amd64'];
  expect(await of('group=waiting')).toEqual([all, all, '3']);
  expect(await of('group=waiting&suite=trixie&arch=')).toEqual([all.slice(0, 2), all.slice(0, 2), '2']);
  expect(await of('group=waiting&suite=trixie&arch=amd64')).toEqual([
    ['trixie/amd64'],
    ['trixie/amd64'],
    '1',
  ]);
  expect(await of('group=waiting&arch=arm64')).toEqual([['trixie/arm64'], ['trixie/arm64'], '1']);
  const form = hiddenIn(await bob.textOf(`${path}?group=waiting&suite=trixie&arch=arm64`));
  expect(form).toMatchObject({ suite: 'trixie', arch: 'arm64', group: 'waiting' });
  expect((await bob.get(`${path}?suite=%3C`)).status).toBe(400);
});

it('the page of a trigger shows what would be done to many tests before it is done, and what was left out', async () => {
  const path = '/triggers/perl/5.40';
  const failedRun = await api.submit('odd', { trigger: 'perl/5.40' });
  await api.finish(failedRun, { verdict: 'fail' });
  const waits = await api.submit('waits', { trigger: 'perl/5.40' });
  const hidden = await api.submit('hidden-tool', { trigger: 'perl/5.40', is_private: true }, api.keys.bob);
  await api.finish(hidden, { verdict: 'fail' });
  const stranger = await new Browser(api.url).textOf(`${path}?group=unknown`);
  expect(stranger).toContain(`href="/user/login?next=${encodeURIComponent(`${path}?group=unknown`)}"`);
  expect(stranger).not.toMatch(/hidden-tool|<form method="post"/);

  const page = await bob.textOf(`${path}?group=unknown`);
  expect(page).toContain('hidden-tool');
  const preview = await bob.submit(`${path}?group=unknown`, `${path}/refresh`, {
    [`run-${failedRun}`]: 'on',
  });
  const text = (await preview.text()).replace(/\s+/g, ' ');
  expect(text).toContain('New references: 1 run');
  expect(text).toContain('about 1 min of test time');
  const form = hiddenIn(text);
  expect(form['run_ids']).toBe(String(failedRun));
  const all = hiddenIn(formIn(page, `${path}/retry`)!);
  const retry = (await (await bob.post(`${path}/retry`, { ...all })).text()).replace(/\s+/g, ' ');
  expect(retry).toContain('Retry: 2 runs');
  const retried = await bob.post(`${path}/retry`, hiddenIn(retry));
  expect([retried.status, retried.headers.get('location')]).toEqual([303, path]);
  expect(await bob.textOf(path)).toContain('2 runs requested again: <a href="/runs/');
  await bob.post(`${path}/retry`, hiddenIn(retry));
  const again = await bob.textOf(path);
  expect(again).toContain('Nothing was changed.');
  expect(again).toContain(`a retry of <a href="/runs/${failedRun}">run ${failedRun}</a>, has not finished.`);
  const cancel = await bob.post(`${path}/cancel`, { ...all, group: 'waiting', [`run-${waits}`]: 'on' });
  const cancelPage = (await cancel.text()).replace(/\s+/g, ' ');
  expect(cancelPage).toContain('There is nothing to do.');
  expect(cancelPage).toContain('Only its requestor and administrators may cancel it.');
});

it('a run of a trigger that was cancelled is shown as cancelled', async () => {
  const runId = await api.submit('stopped', { trigger: 'perl/5.42-1' });
  await api.api(`/test/${runId}`, { method: 'DELETE' });
  const html = await (await api.fetch('/triggers/perl/5.42-1?group=superseded')).text();
  expect(html).toMatch(/<td><span class="status cancelled">.*cancelled<\/span><\/td>/);
});

it('forms of a trigger that name nothing, or that no page of ours has sent, change nothing', async () => {
  await api.submit('waits', { trigger: 'ruby/3' });
  const { form_token: token = '' } = hiddenIn(await bob.textOf('/user/bob'));
  const path = '/triggers/ruby/3';
  const status = async (action: string, fields: Record<string, string>) =>
    (await bob.post(`${path}/${action}`, { form_token: token, ...fields })).status;
  expect(await status('retry', {})).toBe(400);
  expect(await status('retry', { group: 'none' })).toBe(400);
  expect(await status('explode', { group: 'waiting' })).toBe(404);
  expect((await bob.post(`${path}/retry`, { group: 'waiting' })).status).toBe(403);
  expect((await new Browser(api.url).post(`${path}/retry`, { group: 'waiting' })).status).toBe(303);
});

it('tests of a trigger that fail with the same error are shown together, and the pages have data and a feed', async () => {
  const error = {
    signature: 'feedc0de',
    excerpt: { firstLine: 8, errorLine: 9, lines: ['before', 'E: <b>no</b> such symbol'] },
  };
  const runIds: number[] = [];
  for (const name of ['one', 'two', 'three']) {
    const runId = await api.submit(name, { trigger: 'icu/76' });
    runIds.push(runId);
    await api.finish(runId, { verdict: 'fail', ...(name !== 'three' && { error }) });
  }
  const page = (await bob.textOf('/triggers/icu/76?group=unknown')).replace(/\s+/g, ' ');
  expect(page).toContain(
    'group=unknown&amp;signature=feedc0de">2 runs</a> <code>E: &lt;b&gt;no&lt;/b&gt; such symbol',
  );
  const alike = await bob.textOf('/triggers/icu/76?group=unknown&signature=feedc0de');
  expect(alike).toContain('>two</a>');
  expect(alike).not.toContain('>three</a>');
  const data = await api.fetch('/triggers/icu/76/tests.json?signature=feedc0de');
  expect(((await data.json()) as { tests: unknown[] }).tests).toHaveLength(2);
  const feed = await (await api.fetch('/triggers/icu/76/feed.xml')).text();
  for (const runId of runIds) expect(feed).toContain(`/${runId}/`);
  const news = await api.fetch('/triggers/feed.xml');
  expect(news.headers.get('content-type')).toBe('application/atom+xml; charset=utf-8');
  expect(await news.text()).toContain('/triggers/icu/76</id>');
  const list = (await (await api.fetch('/triggers/list.json?query=icu')).json()) as { triggers: unknown[] };
  expect(list.triggers).toMatchObject([
    { trigger: 'icu/76', runs: 3, failed: 3, page_url: '/triggers/icu/76' },
  ]);
  const redirect = await api.fetch('/triggers/?query=icu/76');
  expect([redirect.status, redirect.headers.get('location')]).toEqual([302, '/triggers/icu/76']);
});

it('the list of triggers looks through no long trigger, which is found by how it begins', async () => {
  await api.submit('lengthy', { trigger: `lengthy/1 ${'word '.repeat(TRIGGER_BYTES_LOOKED_AT_MAX / 5)}` });
  const many = Array.from({ length: TRIGGER_WORDS_LOOKED_AT_MAX + 1 }, (_, place) => `wordy/${place}`);
  await api.submit('wordy', { trigger: many.join(' ') });
  const triggerNames = async (query: string) => {
    const answer = await api.api(`/triggers?query=${encodeURIComponent(query)}`);
    const { triggers } = (await answer.json()) as { triggers: { trigger: string }[] };
    return triggers.map((each) => each.trigger);
  };
  expect(await triggerNames('engthy/')).toEqual([]);
  expect(await triggerNames('lengthy/1')).toEqual(['lengthy/1']);
  expect(await triggerNames(`ordy/${TRIGGER_WORDS_LOOKED_AT_MAX - 1}`)).toEqual([many.at(-2)]);
  expect(await triggerNames(`ordy/${TRIGGER_WORDS_LOOKED_AT_MAX}`)).toEqual([]);
});
