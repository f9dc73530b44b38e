import { request } from 'node:http';
import { once } from 'node:events';
import { gunzipSync } from 'node:zlib';
import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { startApi } from '../../support/api';
import type { Outcome, RunningApi } from '../../support/api';

let api: RunningApi;
beforeAll(async () => {
  api = await startApi({ server: { historyLengthMax: 3 } });
});
afterAll(() => api.stop());

const STATUS = '/data/status/bookworm/amd64';
const PINNED = { 'pin-packages': [['src:glibc', 'trixie']] };

/** Without the header that fetch adds to conditional requests and that asks for the whole. */
const revalidating = { 'Cache-Control': 'max-age=0' };

async function finished(name: string, outcome: Outcome = {}, parameters = {}): Promise<number> {
  const runId = await api.submit(name, parameters);
  await api.finish(runId, outcome);
  return runId;
}

async function json<T = Record<string, unknown>[]>(path: string): Promise<T> {
  const response = await api.fetch(path);
  expect([path, response.status]).toEqual([path, 200]);
  return (await response.json()) as T;
}

describe('before anything was tested', () => {
  it('there is nothing, and no page breaks', async () => {
    expect(await json(`${STATUS}/packages.json`)).toEqual([]);
    expect(await json(`${STATUS}/history.json`)).toEqual([]);
    const none = { pass: 0, neutral: 0, fail: 0, tmpfail: 0, total: 0, date: null };
    expect(await json(`${STATUS}/status.json`)).toEqual(none);
    for (const path of [
      '/packages/',
      '/status/',
      '/status/bookworm/amd64/',
      '/data/feeds/all-packages.xml',
    ]) {
      expect([path, (await api.fetch(path)).status]).toEqual([path, 200]);
    }
  });

  it.each(['sid/amd64', 'bookworm/riscv64', 'bookworm%00/amd64', '..%2f/amd64', '__proto__/amd64'])(
    '%s is nowhere',
    async (place) => {
      for (const file of ['packages.json', 'status.json', 'history.json']) {
        expect((await api.fetch(`/data/status/${place}/${file}`)).status).toBe(404);
      }
      expect((await api.fetch(`/status/${place}/`)).status).toBe(404);
    },
  );
});

describe('packages.json', () => {
  it('has the latest status of each package, with what was before', async () => {
    await finished('apt', { verdict: 'pass', version: '2.0' });
    const failed = await finished(
      'apt',
      { verdict: 'fail', version: '2.1', message: '' },
      { trigger: 'dpkg/1' },
    );
    await finished('apt', { verdict: 'pass' }, PINNED);
    await finished('apt', { verdict: 'pass' }, { is_private: true });
    await finished('apt', { verdict: 'pass' }, { extra_apt_sources: ['backports'] });
    await api.submit('apt');
    await finished('zsh', { verdict: 'tmpfail', version: null });
    const [apt, zsh, ...others] = await json(`${STATUS}/packages.json`);
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
      run_id: failed,
    });
    expect(zsh).toMatchObject({ package: 'zsh', status: 'tmpfail', version: 'n/a', previous_status: null });
  });

  it('answers "not modified" until a run changes it, and never to private or pinned ones', async () => {
    const path = `${STATUS}/packages.json`;
    const { headers } = await api.fetch(path);
    expect(Number(/max-age=(\d+)/.exec(headers.get('Cache-Control')!)![1])).toBeLessThan(3600);
    const [etag, text] = [headers.get('ETag')!, JSON.stringify(await json(path))];
    const conditional = { headers: { 'If-None-Match': etag, ...revalidating } };
    await finished('apt', { verdict: 'fail' }, { is_private: true });
    await finished('apt', { verdict: 'fail' }, PINNED);
    const notModified = await api.fetch(path, conditional);
    expect([notModified.status, await notModified.text()]).toEqual([304, '']);
    expect(notModified.headers.get('ETag')).toBe(etag);
    expect(JSON.stringify(await json(path))).toBe(text);
    await finished('zsh', { verdict: 'tmpfail', version: null });
    const modified = await api.fetch(path, conditional);
    expect([modified.status, modified.headers.get('ETag') === etag]).toEqual([200, false]);
    const head = await api.fetch(path, { method: 'HEAD' });
    expect([head.status, head.headers.get('ETag')]).toEqual([200, modified.headers.get('ETag')]);
  });

  it('comes whole for those who go by the time alone, however soon they ask again', async () => {
    const path = `${STATUS}/packages.json`;
    const modified = (await api.fetch(path)).headers.get('Last-Modified')!;
    expect(Date.parse(modified)).toBeLessThanOrEqual(Date.now());
    await finished('vim', { verdict: 'pass' });
    const again = await api.fetch(path, { headers: { 'If-Modified-Since': modified, ...revalidating } });
    expect([again.status, await again.text()]).toEqual([200, expect.stringContaining('"vim"')]);
  });

  it('leaves cancelled runs out, as latest.json does', async () => {
    const path = `${STATUS}/packages.json`;
    const before = await (await api.fetch(path)).text();
    const cancelled = await api.submit('zsh');
    expect((await api.api(`/test/${cancelled}`, { method: 'DELETE' })).status).toBe(200);
    expect(await (await api.fetch(path)).text()).toBe(before);
    const zsh = '/data/packages/bookworm/amd64/z/zsh';
    expect(await json<object>(`${zsh}/latest.json`)).not.toMatchObject({ run_id: cancelled });
    expect((await json(`${zsh}/history.json`)).at(-1)).toMatchObject({
      run_id: cancelled,
      status: 'tmpfail',
    });
  });

  it('is compressed for those who take it', async () => {
    const sent = request(`${api.url}${STATUS}/packages.json`, {
      headers: { 'Accept-Encoding': 'gzip' },
    }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    expect(response.headers['content-encoding']).toBe('gzip');
    const text = gunzipSync(await buffer(response)).toString();
    expect(JSON.parse(text)).toEqual(await json(`${STATUS}/packages.json`));
  });
});

it('status.json and history.json count packages, a day a row', async () => {
  const counts = await json<Record<string, unknown>>(`${STATUS}/status.json`);
  expect(counts).toEqual({ pass: 1, neutral: 0, fail: 1, tmpfail: 1, total: 3, date: expect.any(String) });
  const days = await json(`${STATUS}/history.json`);
  expect(days).toEqual([{ ...counts, date: `${new Date().toISOString().slice(0, 10)}T00:00:00.000Z` }]);
});

describe('history.json', () => {
  it('leads to older runs by links', async () => {
    const ids: number[] = [];
    for (let index = 0; index < 7; index += 1) ids.push(await finished('bash'));
    let url: string | undefined = `${api.url}/data/packages/bookworm/amd64/b/bash/history.json`;
    const pages: number[][] = [];
    while (url) {
      const response: Response = await fetch(url);
      pages.unshift(((await response.json()) as { run_id: number }[]).map((run) => run.run_id));
      url = /^<([^>]*)>; rel="prev"$/.exec(response.headers.get('Link') ?? '')?.[1];
    }
    expect(pages).toEqual([[ids[0]], ids.slice(1, 4), ids.slice(4)]);
  });

  it('refuses a place that it never gave out', async () => {
    const [hidden, other] = [await finished('bash', {}, { is_private: true }), await finished('dash')];
    const waiting = await api.submit('bash');
    for (const before of [hidden, other, waiting, 0, 'x', '', '1&before=2']) {
      const [data, page] = [
        '/data/packages/bookworm/amd64/b/bash/history.json',
        '/packages/b/bash/bookworm/amd64/',
      ];
      for (const path of [data, page]) {
        expect([before, (await api.fetch(`${path}?before=${before}`)).status]).toEqual([
          before,
          before === '1&before=2' ? 400 : 404,
        ]);
      }
    }
  });
});

describe('feeds', () => {
  const entries = async (path: string): Promise<string[]> => {
    const response = await api.fetch(path);
    expect(response.headers.get('Content-Type')).toBe('application/atom+xml; charset=utf-8');
    return [...(await response.text()).matchAll(/<entry>.*?<id>(.*?)<\/id>/gs)].map(([, id]) => id!);
  };

  it('tell each change of status once, the newest first, with links that lead to the runs', async () => {
    await finished('curl', { verdict: 'pass' });
    const failed = await finished('curl', { verdict: 'fail' });
    await finished('curl', { verdict: 'tmpfail' });
    await finished('curl', { verdict: 'fail' });
    await finished('curl', { verdict: 'pass' }, PINNED);
    const passed = await finished('curl', { verdict: 'pass' });
    const urls = [passed, failed].map((id) => `${api.url}/packages/c/curl/bookworm/amd64/${id}/`);
    expect(await entries('/data/feeds/c/curl.xml')).toEqual(urls);
    expect((await entries('/data/feeds/all-packages.xml')).slice(0, 2)).toEqual(urls);
    for (const url of urls) expect((await fetch(url)).status).toBe(200);
  });

  it('do not change while nothing does', async () => {
    const { headers } = await api.fetch('/data/feeds/c/curl.xml');
    await finished('curl', { verdict: 'pass' });
    const etag = headers.get('ETag')!;
    const again = await api.fetch('/data/feeds/c/curl.xml', {
      headers: { 'If-None-Match': etag, ...revalidating },
    });
    expect(again.status).toBe(304);
    expect((await api.fetch('/data/feeds/c/curl.xml', { method: 'HEAD' })).headers.get('ETag')).toBe(etag);
  });

  it('are where package names are', async () => {
    expect(await entries('/data/feeds/n/nobody.xml')).toEqual([]);
    for (const path of [
      'n/nobody',
      'x/nobody.xml',
      'l/libfoo.xml',
      'N/Nobody.xml',
      'n/.xml',
      'n/no%00body.xml',
    ]) {
      expect([path, (await api.fetch(`/data/feeds/${path}`)).status]).toEqual([path, 404]);
    }
  });
});
