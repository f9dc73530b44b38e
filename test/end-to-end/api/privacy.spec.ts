import { awayFromNextHour } from '@test/support/midnight';
import { startApi } from '@test/support/api';
import type { RunningApi } from '@test/support/api';
import { answerOf, crawl } from '@test/support/crawl';
import type { Answer } from '@test/support/crawl';
import { connectTo } from '@test/support/database';

/** Known from private runs only. */
const SECRET = 'top-secret';
/** Known from private runs only, too; a public package has the same prefix. */
const SECRET_BESIDE = 'hello-secret';
/** Public, with private runs beside. */
const SHARED = 'libshared';
const SECRET_TEXT = 'words that only private runs hold';
const STARTS = ['/', '/packages/', '/status/', '/data/feeds/all-packages.xml'];

let api: RunningApi;
/** Runs of SECRET: a pass, a later failure and a pinned one that are finished, one that runs, one that waits. */
const ids = { pass: 0, fail: 0, pinned: 0, running: 0, waiting: 0 };
/** A private and a public run of SHARED, both finished. */
let beside: number;
let publicRun: number;
let before: Map<string, Answer>;
let after: Map<string, Answer>;

const secretIds = () => [...Object.values(ids), beside];
const pins = { 'pin-packages': [['src:glibc', 'trixie']] };
const isPrivate = { is_private: true, trigger: SECRET_TEXT };

/** Numbers that are nothing else in any answer. */
async function useUnmistakableIds(): Promise<void> {
  const client = await connectTo(api.databaseUrl);
  await client.query(`select setval(pg_get_serial_sequence('runs', 'run_id'), 731000000)`);
  await client.end();
}

/** So that no time in an answer is still the present second, which moves on by itself. */
async function letAnHourPass(): Promise<void> {
  const client = await connectTo(api.databaseUrl);
  const times = ['created_at', 'updated_at', 'started_at', 'finished_at'];
  await client.query(
    `update runs set ${times.map((each) => `${each} = ${each} - interval '1 hour'`).join(', ')}`,
  );
  await client.end();
}

/** As a scheduler does. */
async function makeStatuses(): Promise<void> {
  while (await api.database.statusProjection.step('amd64'));
  while (await api.database.dayStatistics.step('amd64'));
}

async function finishedRun(name: string, parameters: object, outcome: object = {}): Promise<number> {
  const runId = await api.submit(name, { ...parameters });
  const files = { 'log.gz': `log of ${name}: ${SECRET_TEXT}`, 'artifacts.tar.gz': SECRET_TEXT };
  await api.finish(runId, { files, ...outcome });
  return runId;
}

// Pages show the figures of the present hour.
beforeAll(awayFromNextHour);
beforeAll(async () => {
  const configuredAt = new Date(Date.now() - 2 * 3_600_000);
  api = await startApi({ server: { historyLengthMax: 2 }, configuredAt });
  await useUnmistakableIds();
  for (const name of ['hello', SHARED]) {
    await finishedRun(name, {}, { files: { 'log.gz': 'public' } });
    await finishedRun(name, {}, { verdict: 'fail', files: { 'log.gz': 'public' } });
    publicRun = await finishedRun(name, pins, { files: { 'log.gz': 'public' } });
  }
  await api.submit('hello');
  await api.start(await api.submit('hello'));
  await letAnHourPass();
  await makeStatuses();
  before = await crawl(api, STARTS);
  ids.pass = await finishedRun(SECRET, isPrivate, { message: SECRET_TEXT, version: '7.7-7' });
  ids.fail = await finishedRun(SECRET, isPrivate, {
    message: SECRET_TEXT,
    verdict: 'fail',
    version: '7.7-7',
  });
  ids.pinned = await finishedRun(SECRET, { ...isPrivate, ...pins }, { version: '7.7-7' });
  beside = await finishedRun(SHARED, isPrivate, {
    verdict: 'tmpfail',
    version: '7.7-7',
    message: SECRET_TEXT,
  });
  await finishedRun(SECRET_BESIDE, isPrivate, { version: '7.7-7' });
  ids.running = await api.submit(SECRET, isPrivate);
  await api.start(ids.running);
  ids.waiting = await api.submit(SECRET, isPrivate);
  await makeStatuses();
  after = await crawl(api, STARTS);
});
afterAll(() => api.stop());

it('private runs are on no path that links lead to', () => {
  // The walk is one: it came to each kind of path.
  for (const path of [
    `/packages/libs/${SHARED}/bookworm/amd64/${publicRun}/`,
    `/data/packages/bookworm/amd64/libs/${SHARED}/history.json`,
    `/data/autopkgtest/bookworm/amd64/libs/${SHARED}/${publicRun}/log.gz`,
    '/packages/h/',
    '/status/bookworm/amd64/?status=fail',
    '/data/status/bookworm/amd64/packages.json',
    `/data/feeds/libs/${SHARED}.xml`,
    '/status/failing/',
    '/status/failing.json',
    '/status/failing.xml',
  ]) {
    expect([path, after.get(path)?.status]).toEqual([path, 200]);
  }
  const secrets = new RegExp(`${SECRET}|${SECRET_BESIDE}|${SECRET_TEXT}|7\\.7-7|${secretIds().join('|')}`);
  for (const [path, { body, link, etag, status }] of after) {
    // The short address of a run leads to its page; the page that retries it and the way to the form, to the login. A look is chosen
    // by POST.
    const leads = /^\/(api\/v1\/retry|runs|-\/request)/.test(path);
    expect([path, status]).toEqual([path, leads ? 302 : path === '/-/look' ? 405 : 200]);
    expect([path, secrets.exec(`${body} ${link} ${etag}`)]).toEqual([path, null]);
  }
});

it('private runs change nothing where links lead to, neither text nor ETag nor time', () => {
  expect([...after.keys()].sort()).toEqual([...before.keys()].sort());
  for (const [path, answer] of before) {
    expect([path, after.get(path)]).toEqual([path, answer]);
  }
  const rest = [...before].filter(([path]) => !path.startsWith('/assets/'));
  const dated = rest.map(([, answer]) => answer).filter(({ lastModified }) => lastModified !== null);
  expect(dated.length).toBeGreaterThan(20);
  const anHourAgo = Date.now() - 3_500_000;
  for (const { lastModified } of dated) expect(Date.parse(lastModified!)).toBeLessThan(anHourAgo);
});

it('with the publication of runs everything follows at once', async () => {
  const published = [ids.pass, ids.fail, ids.pinned];
  const response = await api.api('/test/publish', {
    method: 'POST',
    body: new URLSearchParams({ run_ids: published.join(',') }),
  });
  expect(response.status).toBe(200);
  const text = async (path: string): Promise<string> => (await answerOf(api, path)).body;
  const json = async (path: string): Promise<unknown> => JSON.parse(await text(path));
  const data = `/data/packages/bookworm/amd64/t/${SECRET}`;
  expect(await json(`${data}/latest.json`)).toMatchObject({ run_id: ids.fail, status: 'fail' });
  expect(await json(`${data}/history.json`)).toMatchObject([{ run_id: ids.fail }, { run_id: ids.pinned }]);
  expect(await text(`${data}/latest-autopkgtest/log.gz`)).toContain(SECRET_TEXT);
  for (const file of ['log.gz', 'artifacts.tar.gz']) {
    expect(
      await answerOf(api, `/data/autopkgtest/bookworm/amd64/t/${SECRET}/${ids.pass}/${file}`),
    ).toMatchObject({
      status: 200,
      cacheControl: expect.stringContaining('public'),
    });
  }
  expect(await json('/data/status/bookworm/amd64/packages.json')).toContainEqual(
    expect.objectContaining({ package: SECRET, status: 'fail', previous_status: 'pass', run_id: ids.fail }),
  );
  expect(await json('/data/status/bookworm/amd64/status.json')).toMatchObject({ fail: 3, total: 3 });
  for (const path of ['/data/feeds/all-packages.xml', `/data/feeds/t/${SECRET}.xml`]) {
    expect(await text(path)).toContain(`/packages/t/${SECRET}/bookworm/amd64/${ids.fail}/`);
  }
  const visits = await crawl(api, STARTS);
  for (const path of ['/', '/packages/t/', `/packages/t/${SECRET}/`, '/status/bookworm/amd64/']) {
    expect([path, visits.get(path)?.body]).toEqual([path, expect.stringContaining(SECRET)]);
  }
  for (const runId of published) {
    expect(visits.get(`/packages/t/${SECRET}/bookworm/amd64/${runId}/`)?.status).toBe(200);
  }
  const others = new RegExp([ids.running, ids.waiting, beside].join('|'));
  for (const [path, { body }] of visits) expect([path, others.exec(body)]).toEqual([path, null]);
});
