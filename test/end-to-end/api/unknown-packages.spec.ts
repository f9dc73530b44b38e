import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { startApi } from '@test/support/api';
import type { RunningApi } from '@test/support/api';
import { hiddenIn } from '@test/support/browser';
import { pageOf } from '@test/support/pages';
import { until } from '@test/support/until';
import { registerWorkers, workerKey } from '@test/support/worker-register';

const SENTENCE = 'bookworm has no source package "helo"; did you mean "hello"?';
const ESCAPED = SENTENCE.replaceAll('"', '&quot;');
const LIST = gzipSync('hello\nlibssl3 openssl\nopenssl\n');

let api: RunningApi;

beforeAll(async () => {
  api = await startApi();
  await api.adminKey();
  await registerWorkers(
    api.database,
    [{ name: 'w1', publicKey: workerKey(), architectures: ['amd64'] }],
    'root',
  );
  const sha256 = createHash('sha256').update(LIST).digest('hex');
  const offered = { suite: 'bookworm', arch: 'amd64', worker: 'w1', sha256, ageMs: 0 };
  expect(await api.database.sourceNames.saveNames(offered, LIST)).toBe(true);
  const isKnown = async (): Promise<boolean> =>
    (await warningsOf('/test/bookworm/amd64/helo?dry_run=true')).length > 0;
  expect(await until(isKnown)).toBe(true);
});
afterAll(() => api?.stop());

async function answerOf(path: string, body: object = {}): Promise<{ runs: object[]; warnings: string[] }> {
  const response = await api.api(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect([200, 201]).toContain(response.status);
  return (await response.json()) as { runs: object[]; warnings: string[] };
}

async function warningsOf(path: string, body?: object): Promise<string[]> {
  return (await answerOf(path, body)).warnings;
}

it('a request for a package that its suite does not have is accepted with a warning, in each of its forms', async () => {
  const tests = [{ package: 'helo' }, { package: 'hello' }, { package: 'libssl3', trigger: 'x' }];
  const binary =
    'bookworm has no source package "libssl3"; libssl3 is a binary package of the source openssl.';
  const list = await answerOf('/test/bookworm/amd64', { tests });
  expect([list.runs.length, list.warnings]).toEqual([3, [SENTENCE, binary]]);
  expect(await warningsOf('/test/bookworm/amd64?dry_run=true', { tests })).toEqual([SENTENCE, binary]);
  const batch = [
    { suite: 'bookworm', arch: ['amd64', 'arm64'], tests },
    { suite: 'trixie', arch: 'amd64', tests },
  ];
  expect(await warningsOf('/test/batch', { tests: batch })).toEqual([SENTENCE, binary]);
  expect(await warningsOf('/test/bookworm/amd64/helo')).toEqual([SENTENCE]);
});

it('a package that is rejected, or may come from elsewhere, causes no warning', async () => {
  const tests = [
    { package: 'blocked' },
    { package: 'helo', 'pin-packages': [['src:helo', 'trixie']] },
    { package: 'helo', 'extra-apt-sources': ['inner'] },
  ];
  expect(await warningsOf('/test/bookworm/amd64', { tests })).toEqual([]);
});

it('a form says so before it is sent and afterwards', async () => {
  const alice = await api.logIn('alice');
  const token = hiddenIn(await alice.textOf('/user/alice/test'))['form_token']!;
  for (const step of ['preview', 'submit']) {
    const fields = { form_token: token, packages: 'helo', suite: 'bookworm', 'arch-amd64': 'on', step };
    expect(await (await alice.post('/user/alice/test/submit', fields)).text()).toContain(ESCAPED);
  }
});

it('the pages of a run and of its package say so while it waits, and what may have been meant afterwards', async () => {
  const runId = await api.submit('openss');
  const sentence = 'bookworm has no source package &quot;openss&quot;; did you mean &quot;openssl&quot;?';
  const paths = [`/packages/o/openss/bookworm/amd64/${runId}/`, '/packages/o/openss/'];
  for (const path of paths) expect(await pageOf(api, path)).toContain(sentence);
  await api.finish(runId, { verdict: 'absent', message: 'bookworm has no source package openss' });
  for (const path of paths) {
    const page = await pageOf(api, path);
    expect(page).toContain('Did you mean &quot;openssl&quot;?');
    expect(page).not.toContain(sentence);
  }
  expect(await pageOf(api, '/packages/o/openss/')).toContain(
    'Nothing was tested here: bookworm has no source package openss.',
  );
});
