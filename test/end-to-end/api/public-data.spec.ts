import { once } from 'node:events';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import { startApi } from '../../support/api';
import type { RunningApi } from '../../support/api';

let api: RunningApi;
beforeAll(async () => {
  api = await startApi({ server: { historyLengthMax: 3 } });
});
afterAll(() => api.stop());

const DATA = '/data/packages/bookworm/amd64';
const file = (name: string, runId: number, what = 'log.gz'): string =>
  `/data/autopkgtest/bookworm/amd64/${name.startsWith('lib') ? name.slice(0, 4) : name[0]}/${name}/${runId}/${what}`;

async function finished(name: string, log: string, parameters = {}): Promise<number> {
  const runId = await api.submit(name, parameters);
  await api.finish(runId, { version: '1.0-1', files: { 'log.gz': log, 'artifacts.tar.gz': 'artifacts' } });
  return runId;
}

/** Without the header that fetch adds to conditional requests and that asks for the whole. */
const revalidating = { 'Cache-Control': 'max-age=0' };

describe('the files of a run', () => {
  const log = 'a log\n'.repeat(2_000);
  const bytes = gzipSync(log);
  let runId: number;
  let path: string;
  beforeAll(async () => {
    runId = await finished('libfoo', log);
    path = file('libfoo', runId);
  });

  /** Fetch would decompress: whoever saves the file gets these bytes. */
  async function raw(headers: Record<string, string> = {}, method = 'GET') {
    const sent = request(api.url + path, { method, headers }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: response.statusCode!, headers: response.headers, body: await buffer(response) };
  }

  it('are served as they are kept', async () => {
    const { status, headers, body } = await raw();
    expect(status).toBe(200);
    expect(gunzipSync(body).toString()).toBe(log);
    expect(headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-encoding': 'gzip',
      'content-length': String(bytes.length),
      'accept-ranges': 'bytes',
      'last-modified': expect.any(String),
      'cache-control': expect.stringContaining('public'),
    });
    expect(await (await api.fetch(path)).text()).toBe(log);
    const artifacts = await api.fetch(file('libfoo', runId, 'artifacts.tar.gz'));
    expect(artifacts.headers.get('content-type')).toBe('application/gzip');
    expect(artifacts.headers.get('content-encoding')).toBeNull();
    expect(gunzipSync(Buffer.from(await artifacts.arrayBuffer())).toString()).toBe('artifacts');
  });

  it('answer HEAD', async () => {
    const { status, headers, body } = await raw({}, 'HEAD');
    expect([status, body.length, headers['content-length']]).toEqual([200, 0, String(bytes.length)]);
  });

  it('answer "not modified"', async () => {
    const { headers } = await raw();
    const etag = String(headers['etag']);
    expect(await raw({ 'If-None-Match': etag })).toMatchObject({ status: 304, body: Buffer.alloc(0) });
    expect((await raw({ 'If-Modified-Since': String(headers['last-modified']) })).status).toBe(304);
    expect((await raw({ 'If-None-Match': '"other"' })).status).toBe(200);
  });

  it.each([
    ['bytes=0-9', 0, 9],
    ['bytes=5-', 5, -1],
    ['bytes=-7', -7, -1],
    ['bytes=3-999999999', 3, -1],
  ])('answer the range %s', async (range, start, end) => {
    const last = end < 0 ? bytes.length + end : end;
    const first = start < 0 ? bytes.length + start : start;
    const answer = await raw({ Range: range });
    expect(answer.status).toBe(206);
    expect(answer.headers['content-range']).toBe(`bytes ${first}-${last}/${bytes.length}`);
    expect(answer.headers['content-length']).toBe(String(last - first + 1));
    expect(answer.body.equals(bytes.subarray(first, last + 1))).toBe(true);
  });

  it.each(['bytes=0-1,5-6', 'bytes=a-b', 'lines=1-2', 'bytes'])(
    'are sent whole for the range %s',
    async (range) => {
      const answer = await raw({ Range: range });
      expect([answer.status, answer.body.length]).toEqual([200, bytes.length]);
    },
  );

  it('answer a range only of the version that is meant', async () => {
    const { headers } = await raw();
    expect((await raw({ Range: 'bytes=0-1', 'If-Range': String(headers['etag']) })).status).toBe(206);
    expect((await raw({ Range: 'bytes=0-1', 'If-Range': '"other"' })).status).toBe(200);
  });

  it('have no bytes beyond their end', async () => {
    const answer = await raw({ Range: 'bytes=999999999-' });
    expect([answer.status, answer.headers['content-range']]).toEqual([416, `bytes */${bytes.length}`]);
    expect(answer.headers['content-encoding']).toBeUndefined();
  });

  it('are nowhere else', async () => {
    const paths = [
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
    ];
    for (const other of paths) expect([other, (await api.fetch(other)).status]).toEqual([other, 404]);
  });

  it('are missing where a run left none', async () => {
    const bare = await api.submit('hello');
    expect((await api.fetch(file('hello', bare))).status).toBe(404);
    await api.finish(bare);
    expect((await api.fetch(file('hello', bare))).status).toBe(404);
  });
});

describe('latest and history of a package', () => {
  const json = async (path: string): Promise<unknown> => (await api.fetch(`${DATA}${path}`)).json();

  it('are empty before its first run, and for a package that nobody knows', async () => {
    expect(await json('/n/nobody/latest.json')).toBeNull();
    expect(await json('/n/nobody/history.json')).toEqual([]);
    expect((await api.fetch(`${DATA}/n/nobody/latest-autopkgtest/log.gz`)).status).toBe(404);
    const wrong = [
      '/o/nobody/latest.json',
      '/N/Nobody/latest.json',
      '/x/x/latest.json',
      '/n/nobody/other.json',
    ];
    for (const path of wrong) expect((await api.fetch(DATA + path)).status).toBe(404);
    for (const suite of ['sid', 'bookworm%00', '__proto__', '%20']) {
      expect((await api.fetch(`/data/packages/${suite}/amd64/n/nobody/latest.json`)).status).toBe(404);
    }
  });

  it('follow its runs', async () => {
    const ids = [await finished('zlib', 'first'), await finished('zlib', 'second')];
    const pinned = await finished('zlib', 'pinned', { 'pin-packages': [['zlib', 'trixie']] });
    await api.submit('zlib');
    expect(await json('/z/zlib/latest.json')).toMatchObject({
      run_id: ids[1],
      status: 'pass',
      version: '1.0-1',
    });
    expect(await json('/z/zlib/history.json')).toMatchObject([
      { run_id: ids[0] },
      { run_id: ids[1] },
      { run_id: pinned },
    ]);
    expect(await (await api.fetch(`${DATA}/z/zlib/latest-autopkgtest/log.gz`)).text()).toBe('second');
    const newest = await finished('zlib', 'third');
    expect(await json('/z/zlib/history.json')).toMatchObject([
      { run_id: ids[1] },
      { run_id: pinned },
      { run_id: newest },
    ]);
  });

  it('answer "not modified" until a run finishes', async () => {
    await finished('curl', 'x');
    const path = `${DATA}/c/curl/latest.json`;
    const { headers } = await api.fetch(path);
    expect(headers.get('last-modified')).not.toBeNull();
    const conditional = { headers: { 'If-None-Match': headers.get('etag')!, ...revalidating } };
    expect((await api.fetch(path, conditional)).status).toBe(304);
    await finished('curl', 'y');
    expect((await api.fetch(path, conditional)).status).toBe(200);
  });
});

describe('a private run', () => {
  it('is on no public path', async () => {
    const name = 'top-secret';
    const runId = await finished(name, 'secret log', { is_private: true });
    const waiting = await api.submit(name, { is_private: true });
    const running = await api.submit(name, { is_private: true });
    await api.start(running);
    expect(await (await api.fetch(`${DATA}/t/${name}/latest.json`)).json()).toBeNull();
    expect(await (await api.fetch(`${DATA}/t/${name}/history.json`)).json()).toEqual([]);
    const page = `/packages/t/${name}/bookworm/amd64/`;
    const gone = [
      file(name, runId),
      file(name, runId, 'artifacts.tar.gz'),
      `${DATA}/t/${name}/latest-autopkgtest/log.gz`,
    ];
    for (const path of [...gone, ...[runId, waiting, running].map((id) => `${page}${id}/`)]) {
      expect([path, (await api.fetch(path)).status]).toEqual([path, 404]);
    }
    expect(await (await api.fetch('/')).text()).not.toContain(name);
    expect(await (await api.fetch(page)).text()).not.toContain(`/${runId}/`);
  });
});
