import { startApi } from '@test/support/api';
import type { Outcome, RunningApi } from '@test/support/api';

let api: RunningApi;
beforeAll(async () => {
  api = await startApi({ server: { historyLengthMax: 3 } });
});
afterAll(() => api.stop());

const STATUS = '/data/status/bookworm/amd64';
const PACKAGES = `${STATUS}/packages.json`;
const PINNED = { 'pin-packages': [['src:glibc', 'trixie']] };

async function finishedRun(name: string, outcome: Outcome = {}, parameters = {}): Promise<number> {
  const runId = await api.submit(name, parameters);
  await api.finish(runId, outcome);
  return runId;
}

async function json<T = Record<string, unknown>[]>(path: string): Promise<T> {
  const response = await api.fetch(path);
  expect([path, response.status]).toEqual([path, 200]);
  return (await response.json()) as T;
}

/** The ids of a feed's entries. */
async function entries(path: string): Promise<string[]> {
  const response = await api.fetch(path);
  expect(response.headers.get('Content-Type')).toBe('application/atom+xml; charset=utf-8');
  return [...(await response.text()).matchAll(/<entry>.*?<id>(.*?)<\/id>/gs)].map(([, id]) => id!);
}

it('before anything was tested the files of the status are empty, and no page breaks', async () => {
  expect(await json(PACKAGES)).toEqual([]);
  expect(await json(`${STATUS}/history.json`)).toEqual([]);
  const none = { pass: 0, neutral: 0, fail: 0, tmpfail: 0, total: 0, date: null };
  expect(await json(`${STATUS}/status.json`)).toEqual(none);
  for (const path of ['/packages/', '/status/', '/status/bookworm/amd64/', '/data/feeds/all-packages.xml'])
    expect([path, (await api.fetch(path)).status]).toEqual([path, 200]);
});

it('packages.json has the latest status of each package, with what was before, compressed for those who take it', async () => {
  await finishedRun('apt', { verdict: 'pass', version: '2.0' });
  const outcome: Outcome = { verdict: 'fail', version: '2.1', message: '' };
  const failedRun = await finishedRun('apt', outcome, { trigger: 'dpkg/1' });
  await finishedRun('apt', { verdict: 'pass' }, PINNED);
  await finishedRun('apt', { verdict: 'pass' }, { is_private: true });
  await finishedRun('apt', { verdict: 'pass' }, { extra_apt_sources: ['backports'] });
  await api.submit('apt');
  await finishedRun('zsh', { verdict: 'tmpfail', version: null });
  const [apt, zsh, ...others] = await json(PACKAGES);
  expect(others).toEqual([]);
  expect(apt).toMatchObject({
    package: 'apt',
    suite: 'bookworm',
    arch: 'amd64',
    status: 'fail',
    version: '2.1',
    date: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    trigger: 'dpkg/1',
    duration_seconds: 30,
    duration_human: '0h 0m 30s',
    message: 'The run ended as fail.',
    previous_status: 'pass',
    last_pass_version: '2.0',
    last_pass_date: expect.any(String),
    run_id: failedRun,
  });
  expect(zsh).toMatchObject({ package: 'zsh', status: 'tmpfail', version: 'n/a', previous_status: null });
  const compressed = await api.fetch(PACKAGES, { headers: { 'Accept-Encoding': 'gzip' } });
  expect(compressed.headers.get('Content-Encoding')).toBe('gzip');
});

it('packages.json comes whole for those who use the time alone, however soon they ask again', async () => {
  const modified = (await api.fetch(PACKAGES)).headers.get('Last-Modified')!;
  expect(Date.parse(modified)).toBeLessThanOrEqual(Date.now());
  await finishedRun('vim', { verdict: 'pass' });
  // Without the header that fetch adds to conditional requests and that asks for the whole.
  const headers = { 'If-Modified-Since': modified, 'Cache-Control': 'max-age=0' };
  const again = await api.fetch(PACKAGES, { headers });
  expect([again.status, await again.text()]).toEqual([200, expect.stringContaining('"vim"')]);
});

it('a history does not go on from a place that it never gave out', async () => {
  const [hidden, other] = [await finishedRun('bash', {}, { is_private: true }), await finishedRun('dash')];
  const waiting = await api.submit('bash');
  for (const before of [hidden, other, waiting, 0, 'x', '', '1&before=2']) {
    for (const path of [
      '/data/packages/bookworm/amd64/b/bash/history.json',
      '/packages/b/bash/bookworm/amd64/',
    ]) {
      const { status } = await api.fetch(`${path}?before=${before}`);
      expect([before, status]).toEqual([before, before === '1&before=2' ? 400 : 404]);
    }
  }
});

it('files of a private run are for its key and for administrators', async () => {
  const runId = await finishedRun('hidden-files', { files: { 'log.gz': 'a log' } }, { is_private: true });
  const path = `/data/autopkgtest/bookworm/amd64/h/hidden-files/${runId}/log.gz`;
  const statusFor = async (key?: string): Promise<number> =>
    (await api.fetch(path, { headers: key === undefined ? {} : { 'Auth-Key': key } })).status;
  const keys = [api.keys.alice, await api.adminKey(), api.keys.aliceSecond, api.keys.bob, undefined];
  expect(await Promise.all(keys.map(statusFor))).toEqual([200, 200, 404, 404, 404]);
});

it('a run that left no files has none', async () => {
  const path = (runId: number) => `/data/autopkgtest/bookworm/amd64/h/hello/${runId}/log.gz`;
  const bare = await api.submit('hello');
  expect((await api.fetch(path(bare))).status).toBe(404);
  await api.finish(bare);
  expect((await api.fetch(path(bare))).status).toBe(404);
});

it('a file of a run is at its own place alone', async () => {
  const runId = await finishedRun('libfoo', { files: { 'log.gz': 'a log' } });
  const path = `/data/autopkgtest/bookworm/amd64/libf/libfoo/${runId}/log.gz`;
  expect(await (await api.fetch(path)).text()).toBe('a log');
  for (const other of [
    path.replace('libf/', 'l/'),
    path.replace('bookworm', 'trixie'),
    path.replace('amd64', 'arm64'),
    path.replace('libfoo', 'libfob'),
    path.replace(`/${runId}/`, `/0${runId}/`),
    path.replace(`/${runId}/`, '/9007199254740992/'),
    path.replace('log.gz', 'log'),
    path.replace('log.gz', '..%2Flog.gz'),
    path.replace('bookworm', '..%2f..%2f..%2fetc'),
    path.replace('/libfoo/', '/%2e%2e/'),
    path.replace('bookworm', 'bookworm%00'),
    path.replace(`${runId}`, '..%2f1'),
  ])
    expect([other, (await api.fetch(other)).status]).toEqual([other, 404]);
});

it('feeds have each change of status once, the newest first, with links that lead to the runs', async () => {
  await finishedRun('curl', { verdict: 'pass' });
  const failedRun = await finishedRun('curl', { verdict: 'fail' });
  await finishedRun('curl', { verdict: 'tmpfail' });
  await finishedRun('curl', { verdict: 'fail' });
  await finishedRun('curl', { verdict: 'pass' }, PINNED);
  const passed = await finishedRun('curl', { verdict: 'pass' });
  const urls = [passed, failedRun].map((id) => `${api.url}/packages/c/curl/bookworm/amd64/${id}/`);
  expect(await entries('/data/feeds/c/curl.xml')).toEqual(urls);
  expect((await entries('/data/feeds/all-packages.xml')).slice(0, 2)).toEqual(urls);
  for (const url of urls) expect((await fetch(url)).status).toBe(200);
});

it('feeds are where package names are', async () => {
  await api.submit('waits-first');
  expect(await entries('/data/feeds/w/waits-first.xml')).toEqual([]);
  const wrong = [
    'n/nothing.xml',
    'n/nothing',
    'x/nothing.xml',
    'l/libfoo.xml',
    'N/Nothing.xml',
    'n/.xml',
    'n/no%00body.xml',
  ];
  for (const path of wrong)
    expect([path, (await api.fetch(`/data/feeds/${path}`)).status]).toEqual([path, 404]);
});
