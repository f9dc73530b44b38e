import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { startApi } from '@test/support/api';
import { leastStatements } from '@test/support/statements';
import { Browser, hiddenIn } from '@test/support/browser';
import { packageLines, packedArtifacts } from '@test/support/artifacts';
import type { RunningApi } from '@test/support/api';

/** Statements that the page of a failed run may take, however much it has to show. */
const QUERIES_MAX = 24;

let api: RunningApi;
beforeEach(async () => {
  api = await startApi();
});
afterEach(() => api.stop());

async function page(path: string): Promise<string> {
  const response = await api.fetch(path);
  expect([path, response.status]).toEqual([path, 200]);
  return (await response.text()).replace(/\s+/g, ' ');
}

/** Stores artifacts as a worker does, with autopkgtest's list of the testbed's packages. */
async function storeArtifacts(runId: number, packages: Record<string, string>): Promise<void> {
  const { archive, index } = await packedArtifacts({ 'testbed-packages': packageLines(packages) });
  await put(runId, 'artifacts.tar.gz', archive);
  await put(runId, 'artifacts-index.json', index);
}

async function put(runId: number, name: 'artifacts.tar.gz' | 'artifacts-index.json', content: Buffer) {
  const sha256 = createHash('sha256').update(content).digest('hex');
  await api.store.save(runId, 1, name, Readable.from([content]), { size: content.length, sha256 });
}

it('a failed run shows what fails, what changed since the last pass, and what else was tested', async () => {
  const tests = (status: 'PASS' | 'FAIL') => [{ name: 'upstream', status, detail: null }];
  const passed = await api.submit('hello');
  await api.finish(passed, { tests: tests('PASS') });
  const failedRun = await api.submit('hello', { trigger: 'hello/9.9-1' });
  await api.finish(failedRun, {
    verdict: 'fail',
    tests: tests('FAIL'),
    message: '<script>alert(1)</script>',
  });
  const other = await api.submit('figlet');
  await api.finish(other);
  const short = await api.fetch(`/runs/${failedRun}`);
  expect([short.status, short.headers.get('location')]).toEqual([
    302,
    `/packages/h/hello/bookworm/amd64/${failedRun}/`,
  ]);
  const text = await page(short.headers.get('location')!);
  expect(text).toContain('hello 1.0-1 on bookworm/amd64 failed in 30 s.');
  expect(text).toContain('<dd><a href="/triggers/hello/9.9-1">hello/9.9-1</a></dd>');
  expect(text).toContain('<dd><a href="/status/workers/worker-1">worker-1</a></dd>');
  expect(await page('/status/workers/worker-1')).toContain('it is not registered');
  expect(text).not.toMatch(/<time>/);
  expect(text).toContain('The trigger names version 9.9-1 of hello, but 1.0-1 was tested.');
  expect(text).toContain(`href="/compare/${passed}...${failedRun}"`);
  expect(text).toContain('aria-label="2 runs: 1 pass, 1 fail"');
  expect(text).toContain('1 setting; the packages are unknown.');
  expect(text).toContain(`href="/packages/f/figlet/bookworm/amd64/${other}/"`);
  expect(text).toContain(
    '--env=ADT_TEST_TRIGGERS=hello/9.9-1 hello -- unshare --release bookworm --arch amd64',
  );
  expect(text).not.toContain('<script>alert');
  for (const url of [
    'https://tracker.example/pkg/hello',
    'https://sources.example/hello/1.0-1?on=bookworm-amd64',
  ])
    expect(text).toContain(`<a href="${url}" rel="nofollow noopener">`);
  expect(text).toContain(
    'Version 1.0-1 was tested instead of 9.9-1, so this says nothing about the requested version.',
  );
  expect(text).toContain(`<a class="button primary" href="/api/v1/retry/${failedRun}" rel="nofollow">`);
  const answer = await (await api.api(`/runs/${failedRun}/triage`)).json();
  expect(answer).toMatchObject({ run_id: failedRun, kind: 'unclear', step: { kind: 'retry' } });
  expect((await api.api(`/runs/${passed}/triage`)).status).toBe(409);
  const again = await api.submit('hello', { trigger: 'hello/9.9-1' });
  expect(await page(short.headers.get('location')!)).toContain('The same test is waiting or running again.');
  await api.finish(again);
  expect(await page(short.headers.get('location')!)).toContain('The same test has passed since.');
});

it('a version that passed on another backend alone may fail because of the testbed, one that passed on the same may not', async () => {
  const run = async (name: string, backend: string, verdict: 'pass' | 'fail'): Promise<number> => {
    const runId = await api.submit(name, { backend });
    await api.finish(runId, { verdict });
    return runId;
  };
  const conclude = async (runId: number): Promise<unknown> => (await api.api(`/runs/${runId}/triage`)).json();
  await run('needs-init', 'qemu', 'pass');
  expect(await conclude(await run('needs-init', 'unshare', 'fail'))).toMatchObject({
    kind: 'other-testbed',
    conclusion: 'Version 1.0-1 passed on qemu and fails on unshare, so the testbed may be the cause.',
  });
  await run('needs-nothing', 'unshare', 'pass');
  await run('needs-nothing', 'qemu', 'pass');
  expect(await conclude(await run('needs-nothing', 'unshare', 'fail'))).not.toMatchObject({
    kind: 'other-testbed',
  });
});

it('a run shows what was kept of its testbed: what changed, where tests are in the log, what was not as asked for', async () => {
  const packages = (libc6: string) => ({
    testbed: new Map([['bash', '5']]),
    added: new Map([['libc6', libc6]]),
    suites: new Map([['libc6', 'experimental']]),
  });
  const image = { name: 'unshare/bookworm/amd64', builtAtMs: Date.UTC(2026, 10, 20, 10) };
  const ids: number[] = [];
  for (const [verdict, version] of [
    ['pass', '2.40-3'],
    ['fail', '2.40-4'],
  ] as const) {
    const runId = await api.submit('hello', { trigger: 'libc6/2.40-5' });
    await api.finish(runId, { verdict, tests: [{ name: 'unit', status: 'FAIL', detail: null }], image });
    const run = (await api.database.results.find(runId))!;
    const testbed = {
      packages: packages(version),
      kernel: null,
      withoutInitLine: null,
      fallback: { line: 30, release: 'sid' },
      tests: [{ name: 'unit', line: 40, seconds: 65 }],
    };
    await api.database.runTestbeds.saveTestbed(run, testbed, { versions: [], suites: [] });
    ids.push(runId);
  }
  const ask = (): Promise<string> => page(`/packages/h/hello/bookworm/amd64/${ids[1]}/`);
  expect(await leastStatements(ask)).toBeLessThanOrEqual(QUERIES_MAX);
  const text = await ask();
  expect(text).toContain('<li>libc6 2.40-3 → 2.40-4</li>');
  const built = 'unshare/bookworm/amd64, built 2026-11-20 10:00:00 UTC';
  expect(text).toContain(`<dd>${built}</dd>`);
  expect(await page(`/compare/${ids[0]}...${ids[1]}`)).toContain(built);
  expect(await (await api.api(`/test/${ids[1]}`)).json()).toMatchObject({
    image: { name: 'unshare/bookworm/amd64', built_at: '2026-11-20T10:00:00.000Z' },
  });
  expect(text).toContain('The trigger names version 2.40-5 of libc6, but 2.40-4 was installed.');
  expect(text).toContain('libc6 came from experimental, which was not requested.');
  expect(text).toContain(`href="/packages/h/hello/bookworm/amd64/${ids[1]}/log?from=30#L30"`);
  expect(text).toContain(`href="/packages/h/hello/bookworm/amd64/${ids[1]}/log?from=40#L40">unit</a>`);
  expect(text).toContain('1 min 5 s');
  const listUrl = `/packages/h/hello/bookworm/amd64/${ids[1]}/packages`;
  expect(text).toContain(`<a href="${listUrl}">Packages</a>`);
  const list = await page(listUrl);
  expect(list).toContain('When its tests began, 2 packages were installed: 1 for the tests.');
  expect(list).toContain('<th scope="row" class="text">libc6</th> <td class="version">2.40-4</td>');
  const listed: unknown = await (await api.fetch(`${listUrl}.json`)).json();
  expect(listed).toEqual({
    run_id: ids[1],
    kernel: null,
    fallback_release: 'sid',
    packages: [
      { name: 'bash', version: '5', part: 'testbed', before: null, suite: null },
      { name: 'libc6', version: '2.40-4', part: 'tests', before: null, suite: 'experimental' },
    ],
  });
  expect(await (await api.api(`/runs/${ids[1]}/packages`)).json()).toEqual(listed);
});

it('the packages that began to fail when another one had changed are listed, with what else may be the cause', async () => {
  const passed = await api.submit('hello');
  await api.finish(passed);
  const failedRun = await api.submit('hello');
  await api.finish(failedRun, { verdict: 'fail' });
  await api.database.runTestbeds.saveChanges(failedRun, passed, [{ package: 'libc6', from: '1', to: '2' }]);
  const text = await page('/packages/-/affected-by?package=libc6&from=&to=2');
  expect(text).toContain('1 package began to fail when libc6 changed to 2.');
  expect(text).toContain('is not always the cause');
  expect(text).toContain(`href="/compare/${passed}...${failedRun}"`);
  expect(await page('/packages/-/affected-by?package=libc6&to=3')).toContain('No package began to fail');
  const answer = (await (await api.api('/affected-by?package=libc6')).json()) as { runs: unknown[] };
  expect(answer.runs).toMatchObject([
    { package: 'hello', run_id: failedRun, changed: { package: 'libc6', from: '1', to: '2' } },
  ]);
  expect(await page('/packages/-/affected-by')).toContain('Which tests began to fail');
  for (const query of ['?package=', '?package=a%20b', '?package=libc6&to=%00', '?package=a&package=b'])
    expect([query, (await api.fetch(`/packages/-/affected-by${query}`)).status]).toEqual([query, 400]);
});

it('the owner of a private run has its page and what can be done with it, and strangers have none', async () => {
  const alice = await api.logIn('alice');
  const bob = await api.logIn('bob');
  const finishedRun = await api.submit('secret', { is_private: true }, api.keys.aliceSecond);
  await api.finish(finishedRun);
  const waiting = await api.submit('secret', { is_private: true });
  const path = (runId: number) => `/packages/s/secret/bookworm/amd64/${runId}/`;
  const own = await alice.get(path(finishedRun));
  expect([own.status, own.headers.get('cache-control')]).toEqual([200, 'private, no-store']);
  const html = await own.text();
  const lock = /<h1>.*<span class="private"><svg[^>]*>.*<\/svg>private<\/span><\/h1>/;
  for (const part of ['', 'log', 'artifacts/', 'packages'])
    expect(await alice.textOf(path(finishedRun) + part)).toMatch(lock);
  expect(html).toContain('action="/user/alice/test/publish"');
  expect(html).toContain('action="/user/alice/follow"');
  expect(html).toContain(`href="/user/alice/retry/${finishedRun}"`);
  const question = await alice.submit(path(waiting), '/user/alice/jobs/cancel', { [`run-${waiting}`]: 'on' });
  expect(await question.text()).toContain('confirmed');
  await bob.post('/user/bob/jobs/cancel', {
    ...hiddenIn(await bob.textOf('/user/bob/keys')),
    [`run-${waiting}`]: 'on',
    confirmed: 'true',
  });
  expect((await api.database.results.find(waiting))!.state).toBe('queued');
  const missing = await (await bob.get(path(999_999))).text();
  for (const runId of [finishedRun, waiting]) {
    const stranger = await bob.get(path(runId));
    expect(stranger.status).toBe(404);
    expect((await stranger.text()).replace(`no run ${runId}`, 'no run 999999')).toBe(missing);
    expect((await new Browser(api.url).get(path(runId))).status).toBe(404);
  }
});

it('an administrator is offered to retry and to cancel another user’s private run, and can do it', async () => {
  await api.database.users.add('root', { isAdmin: true });
  const root = await api.logIn('root');
  const [over = 0, waiting = 0] = await Promise.all(
    [1, 2].map(() => api.submit('hidden', { is_private: true }, api.keys.bob)),
  );
  await api.finish(over);
  const page = (runId: number) => `/packages/h/hidden/bookworm/amd64/${runId}/`;
  expect(await root.textOf(page(over))).toContain(`href="/user/root/retry/${over}"`);
  const retried = await root.submit(`/user/root/retry/${over}`, `/user/root/retry/${over}`);
  expect(retried.headers.get('location')).toBe(`/runs/${over}`);
  const again = Number(/requested again: <a href="\/runs\/(\d+)"/.exec(await root.textOf(page(over)))![1]);
  expect(await root.textOf(page(again))).toContain(`<a href="/runs/${over}">run ${over}</a>`);
  expect(await root.textOf(page(again))).toContain('<dd>root (retry of bob’s run)</dd>');
  expect(await root.textOf(page(over))).not.toContain('/test/publish');
  const answer = await root.submit(page(waiting), '/user/root/jobs/cancel');
  const question = await answer.text();
  expect(question).toContain(`<a href="${page(waiting)}">Run ${waiting}</a>: hidden`);
  const redirect = await root.post('/user/root/jobs/cancel', hiddenIn(question));
  expect([redirect.status, redirect.headers.get('location')]).toEqual([303, `/runs/${waiting}`]);
  expect((await api.database.results.find(waiting))!.message).toBe('cancelled by root');
  expect(await root.textOf(page(waiting))).toMatch(/<span class="status cancelled">.*cancelled<\/span>/);
});

it('two runs are compared by the packages that they had installed', async () => {
  const [one, other] = [await api.submit('hello'), await api.submit('hello', { trigger: 'libc6/3' })];
  for (const runId of [one, other]) await api.finish(runId);
  expect(await page(`/compare/${one}...${other}`)).toContain(
    `There is no list of packages for run ${one} and run ${other}`,
  );
  await storeArtifacts(one, { bash: '1', libc6: '2', awk: '1' });
  await storeArtifacts(other, { bash: '2', libc6: '3', awk: '1' });
  const text = await page(`/compare/${one}...${other}`);
  expect(text).toContain('2 package versions, 1 setting; the same: 1 package.');
  expect(text).toContain('<span class="dim">hello on bookworm/amd64</span></h1>');
  expect(text).toContain('<a href="/packages/h/hello/bookworm/amd64/">bookworm/amd64</a>');
  expect(text.indexOf('Named by the trigger')).toBeLessThan(text.indexOf('Of the testbed'));
  expect(text).toContain('Unknown: image, kernel.');
  const alone = await api.fetch(`/compare/${other}`);
  expect(alone.headers.get('location')).toBe(`/compare/${one}...${other}`);
  expect(await (await api.api(`/compare?b=${other}`)).json()).toMatchObject({ a: { run_id: one } });
  const compared = (await (await api.api(`/compare?a=${one}&b=${other}`)).json()) as { packages: unknown };
  expect(compared.packages).toEqual({
    changed: [
      {
        name: 'libc6',
        source: 'libc6',
        a: '2',
        b: '3',
        a_suite: null,
        b_suite: null,
        is_named: true,
        part: 'named',
      },
      {
        name: 'bash',
        source: null,
        a: '1',
        b: '2',
        a_suite: null,
        b_suite: null,
        is_named: false,
        part: 'testbed',
      },
    ],
    same: 1,
  });
  for (const pair of [`${one}`, `${one}...`, `${one}...${other}...1`, 'a...b', `${one}...999999`])
    expect((await api.fetch(`/compare/${pair}`)).status).toBe(404);
});

it('artifacts that are not as their index says have no list of packages', async () => {
  const [one, other] = [await api.submit('hello'), await api.submit('hello')];
  for (const runId of [one, other]) await api.finish(runId);
  await storeArtifacts(one, { bash: '1' });
  const broken = gzipSync('not what the index says').subarray(0, 12);
  await storeArtifacts(other, { bash: '1' });
  await put(other, 'artifacts.tar.gz', broken);
  expect(await page(`/compare/${one}...${other}`)).toContain(`no list of packages for run ${other},`);
});

it('a trigger shows its tests in groups, with the reference beside each that failed', async () => {
  expect(await page('/triggers/')).toContain('No version has triggered tests yet.');
  const reference = await api.submit('worse', { trigger: 'migration-reference/0' });
  await api.finish(reference);
  const worse = await api.submit('worse', { trigger: 'glibc/2.40-4 gcc/1' });
  await api.finish(worse, { verdict: 'fail' });
  await api.submit('waits', { trigger: 'glibc/2.40-4' });
  expect(await page('/triggers/')).toContain('href="/triggers/glibc/2.40-4"');
  const text = await page('/triggers/glibc/2.40-4');
  expect(text).toContain('1 of 2 done; 1 regression; about 30 min left, amd64 is the slowest.');
  expect(text).toContain(`href="/compare/${reference}...${worse}"`);
  expect(await page('/triggers/glibc/2.40-4?group=waiting')).toContain('>waits</a>');
  expect((await api.fetch('/triggers/glibc/2.40-4?group=none')).status).toBe(400);
  for (const path of ['/triggers/glibc/9', '/triggers/migration-reference/0'])
    expect((await api.fetch(path)).status).toBe(404);
});
