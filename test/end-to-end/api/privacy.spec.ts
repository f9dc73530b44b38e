import { packagePrefix } from '@proctor/contracts';
import { startApi } from '../../support/api';
import type { RunningApi } from '../../support/api';
import { answerOf, crawl } from '../../support/crawl';
import type { Answer } from '../../support/crawl';
import { connectTo } from '../../support/database';

/** Known from private runs only. */
const SECRET = 'top-secret';
/** The same, beside a public package of the same prefix. */
const SECRET_BESIDE = 'hello-secret';
/** Never heard of. */
const NOBODY = 'not-known1';
/** Public, with private runs beside. */
const SHARED = 'libshared';
const SECRET_TEXT = 'words that only private runs hold';
const STARTS = ['/', '/packages/', '/status/', '/data/feeds/all-packages.xml'];

let api: RunningApi;
/** Of SECRET: a pass, a later failure and a pinned one that are finished, one that runs, one that waits. */
const ids = { pass: 0, fail: 0, pinned: 0, running: 0, waiting: 0 };
/** Of SHARED, finished. */
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

async function finished(name: string, parameters: object, outcome: object = {}): Promise<number> {
  const runId = await api.submit(name, { ...parameters });
  const files = { 'log.gz': `log of ${name}: ${SECRET_TEXT}`, 'artifacts.tar.gz': SECRET_TEXT };
  await api.finish(runId, { files, ...outcome });
  return runId;
}

/** Every path that could tell of a package. */
function pathsOf(name: string): string[] {
  const place = `bookworm/amd64/${packagePrefix(name)}/${name}`;
  const pages = `/packages/${packagePrefix(name)}/${name}`;
  const json = ['latest.json', 'history.json', 'latest-autopkgtest/log.gz'];
  return [
    ...json.map((file) => `/data/packages/${place}/${file}`),
    `/data/feeds/${packagePrefix(name)}/${name}.xml`,
    `${pages}/`,
    pages,
    `${pages}/bookworm/amd64/`,
    `${pages}/trixie/arm64/`,
    `/data/status/bookworm/${name}/packages.json`,
    `/status/bookworm/amd64/?after=${name}`,
    `/status/bookworm/amd64/?status=${name}`,
    `/${name}`,
  ];
}

/** Every path that could tell of a run. */
function pathsOfRun(name: string, runId: number): string[] {
  const place = `bookworm/amd64/${packagePrefix(name)}/${name}`;
  const history = `/packages/${packagePrefix(name)}/${name}/bookworm/amd64/`;
  return [
    `/data/autopkgtest/${place}/${runId}/log.gz`,
    `/data/autopkgtest/${place}/${runId}/artifacts.tar.gz`,
    `/data/autopkgtest/${place}/${runId}/`,
    `/data/packages/${place}/history.json?before=${runId}`,
    `${history}${runId}/`,
    `${history}${runId}`,
    `${history}?before=${runId}`,
  ];
}

/** What an answer says, with the names that the question held taken out. */
function without(answer: Answer, name: string, runId: number): unknown {
  const { status, type, cacheControl, body, link } = answer;
  const anonymous = (text: string): string =>
    text
      .replaceAll(name, 'NAME')
      .replaceAll(`/${packagePrefix(name)}/`, '/P/')
      .replaceAll(`>${packagePrefix(name)}<`, '>P<')
      .replaceAll(String(runId), 'ID');
  return { status, type, cacheControl, link, body: anonymous(body) };
}

beforeAll(async () => {
  const configuredAt = new Date(Date.now() - 2 * 3_600_000);
  api = await startApi({ server: { historyLengthMax: 2 }, configuredAt });
  await useUnmistakableIds();
  for (const name of ['hello', SHARED]) {
    await finished(name, {}, { files: { 'log.gz': 'public' } });
    await finished(name, {}, { verdict: 'fail', files: { 'log.gz': 'public' } });
    publicRun = await finished(name, pins, { files: { 'log.gz': 'public' } });
  }
  await api.submit('hello');
  await api.start(await api.submit('hello'));
  await letAnHourPass();
  before = await crawl(api, STARTS);
  ids.pass = await finished(SECRET, isPrivate, { message: SECRET_TEXT, version: '7.7-7' });
  ids.fail = await finished(SECRET, isPrivate, { message: SECRET_TEXT, verdict: 'fail', version: '7.7-7' });
  ids.pinned = await finished(SECRET, { ...isPrivate, ...pins }, { version: '7.7-7' });
  beside = await finished(SHARED, isPrivate, { verdict: 'tmpfail', version: '7.7-7', message: SECRET_TEXT });
  await finished(SECRET_BESIDE, isPrivate, { version: '7.7-7' });
  ids.running = await api.submit(SECRET, isPrivate);
  await api.start(ids.running);
  ids.waiting = await api.submit(SECRET, isPrivate);
  after = await crawl(api, STARTS);
}, 60_000);
afterAll(() => api.stop());

describe('private runs', () => {
  it('are on no path that links lead to', () => {
    // The walk is one: it came to each kind of path.
    for (const path of [
      `/packages/libs/${SHARED}/bookworm/amd64/${publicRun}/`,
      `/data/packages/bookworm/amd64/libs/${SHARED}/history.json`,
      `/data/autopkgtest/bookworm/amd64/libs/${SHARED}/${publicRun}/log.gz`,
      '/packages/h/',
      '/status/bookworm/amd64/?status=fail',
      '/data/status/bookworm/amd64/packages.json',
      `/data/feeds/libs/${SHARED}.xml`,
    ]) {
      expect([path, after.get(path)?.status]).toEqual([path, 200]);
    }
    const telling = new RegExp(`${SECRET}|${SECRET_BESIDE}|${SECRET_TEXT}|7\\.7-7|${secretIds().join('|')}`);
    for (const [path, { body, link, etag, status }] of after) {
      expect([path, status]).toEqual([path, 200]);
      expect([path, telling.exec(`${body} ${link} ${etag}`)]).toEqual([path, null]);
    }
  });

  it('change nothing of it, neither text nor ETag nor time', () => {
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

  it.each(['GET', 'HEAD'])('answer %s as what never was', async (method) => {
    const unknownId = ids.waiting + 1_000;
    const ask = (path: string): Promise<Answer[]> =>
      Promise.all(
        [{}, { Accept: 'text/html' }, { 'Auth-Key': api.keys.bob }].map((headers) =>
          answerOf(api, path, { method, headers }),
        ),
      );
    const same = async (path: string, unknown: string, runId: number): Promise<void> => {
      const [found, expected] = await Promise.all([ask(path), ask(unknown)]);
      const told = found.map((answer) => without(answer, SECRET, runId));
      expect([path, told]).toEqual([path, expected.map((answer) => without(answer, NOBODY, unknownId))]);
    };
    const [unknown, unknownRun] = [pathsOf(NOBODY), pathsOfRun(NOBODY, unknownId)];
    await Promise.all(pathsOf(SECRET).map((path, index) => same(path, unknown[index]!, unknownId)));
    for (const runId of Object.values(ids)) {
      const paths = pathsOfRun(SECRET, runId);
      await Promise.all(paths.map((path, index) => same(path, unknownRun[index]!, runId)));
    }
  });

  it('do not make the beginning of their name known', async () => {
    expect((await answerOf(api, '/packages/t/')).status).toBe(404);
  });

  it('are not found beside public ones of their package either', async () => {
    for (const path of pathsOfRun(SHARED, beside)) {
      const { status, body } = await answerOf(api, path);
      expect([path, status]).toEqual([path, 404]);
      expect(body).not.toContain(SECRET_TEXT);
    }
    const { status } = await answerOf(api, pathsOfRun(SHARED, publicRun)[0]!);
    expect(status).toBe(200);
  });

  it('are not told by the API to another key, nor by its errors', async () => {
    const unknownId = ids.waiting + 1_000;
    for (const key of [api.keys.bob, api.keys.aliceSecond]) {
      for (const path of ['/test?since=0', '/packages', '/queues', '/reject_list', '/auth']) {
        const text = await (await api.api(path, {}, key)).text();
        expect([path, text]).toEqual([path, expect.not.stringContaining(SECRET)]);
      }
      for (const [method, path] of [
        ['GET', '/test/ID'],
        ['DELETE', '/test/ID'],
        ['GET', '/retry/ID'],
        ['POST', '/retry/ID'],
      ] as const) {
        const [secret, unknown] = await Promise.all(
          [ids.fail, unknownId].map(async (id) => {
            const response = await api.api(path.replace('ID', String(id)), { method }, key);
            return [response.status, (await response.text()).replaceAll(String(id), 'ID')];
          }),
        );
        expect([method, path, secret]).toEqual([method, path, unknown]);
        expect(secret![0]).toBe(404);
      }
    }
  });
});

describe('the key of a private run', () => {
  const file = (name: string): string => `/data/autopkgtest/bookworm/amd64/t/${SECRET}/${ids.fail}/${name}`;
  const asking = (key: string) => ({ headers: { 'Auth-Key': key } });

  it('reads its log and artifacts where its result says, and nobody else may keep them', async () => {
    const result = (await (await api.api(`/test/${ids.fail}`)).json()) as Record<string, string>;
    expect([result['log_url'], result['artifacts_url']]).toEqual([file('log.gz'), file('artifacts.tar.gz')]);
    const log = await answerOf(api, file('log.gz'), asking(api.keys.alice));
    expect(log).toMatchObject({ status: 200, cacheControl: 'private, no-store' });
    expect(log.body).toContain(SECRET_TEXT);
    const artifacts = await answerOf(api, file('artifacts.tar.gz'), asking(api.keys.alice));
    expect(artifacts).toMatchObject({ status: 200, cacheControl: 'private, no-store' });
    const head = await answerOf(api, file('log.gz'), { method: 'HEAD', ...asking(api.keys.alice) });
    expect(head).toMatchObject({ status: 200, cacheControl: 'private, no-store' });
    const notModified = await answerOf(api, file('log.gz'), {
      headers: { 'Auth-Key': api.keys.alice, 'If-None-Match': log.etag!, 'Cache-Control': 'max-age=0' },
    });
    expect(notModified).toMatchObject({ status: 304, cacheControl: 'private, no-store' });
  });

  it('is this one alone', async () => {
    for (const key of [api.keys.aliceSecond, api.keys.bob, 'x', '']) {
      expect((await answerOf(api, file('log.gz'), asking(key))).status).toBe(404);
    }
    const conditional = { 'If-None-Match': '*', 'If-Modified-Since': 'Fri, 01 Jan 2100 00:00:00 GMT' };
    expect((await answerOf(api, file('log.gz'), { headers: conditional })).status).toBe(404);
  });

  it('leaves public files public', async () => {
    const [path] = pathsOfRun(SHARED, publicRun);
    expect(await answerOf(api, path!, asking(api.keys.alice))).toMatchObject({
      status: 200,
      cacheControl: expect.stringContaining('public'),
    });
  });
});

it('publishing makes everything follow at once', async () => {
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
  for (const path of pathsOfRun(SECRET, ids.pass).slice(0, 2)) {
    expect(await answerOf(api, path)).toMatchObject({
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
  const seen = await crawl(api, STARTS);
  for (const path of ['/', '/packages/t/', `/packages/t/${SECRET}/`, '/status/bookworm/amd64/']) {
    expect([path, seen.get(path)?.body]).toEqual([path, expect.stringContaining(SECRET)]);
  }
  for (const runId of published) {
    expect(seen.get(`/packages/t/${SECRET}/bookworm/amd64/${runId}/`)?.status).toBe(200);
  }
  const others = new RegExp([ids.running, ids.waiting, beside].join('|'));
  for (const [path, { body }] of seen) expect([path, others.exec(body)]).toEqual([path, null]);
});
