import { findFreePort } from '@proctor/embedded';
import type { S3Settings } from '@proctor/store';
import { startApi } from '@test/support/api';
import type { RunningApi } from '@test/support/api';
import { linkTo } from '@test/support/cuttable-link';
import type { CuttableLink } from '@test/support/cuttable-link';
import { peerMsUntil } from '@test/support/peer-clock';
import { until } from '@test/support/until';

const BUCKET: S3Settings = {
  kind: 's3',
  region: 'us-east-1',
  bucket: 'results',
  prefix: '',
  pathStyle: true,
  connectionsMax: 10,
  connectTimeoutMs: 1_000,
  answerTimeoutMs: 1_000,
  idleTimeoutMs: 1_000,
  answerBytesMax: 1_048_576,
  partBytes: 5 * 1024 * 1024,
};

let api: RunningApi;
let link: CuttableLink;
beforeAll(async () => {
  api = await startApi({
    server: { keysRememberedMs: 0 },
    databaseUrl: async (own) => (link = await linkTo(own)).url,
  });
});
afterAll(async () => {
  await api.stop();
  await link.cut();
});

it('the api answers 503, says when to come back, and is well again afterwards', async () => {
  await link.cut();
  const submitted = await api.api('/test/bookworm/amd64/hello', { method: 'POST' });
  for (const response of [submitted, await api.api('/auth'), await api.api('/test?since=0')]) {
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
    expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  }
  const page = await api.fetch('/', { headers: { Accept: 'text/html' } });
  expect([page.status, page.headers.get('content-type')]).toEqual([503, 'text/html; charset=utf-8']);
  const health = await api.fetch('/health');
  expect([health.status, await health.json()]).toMatchObject([
    503,
    { ready: false, database: false, bus: true, reasons: ['the database does not answer'] },
  ]);

  await link.mend();
  expect((await api.api('/auth')).status).toBe(200);
  expect((await api.fetch('/health')).status).toBe(200);
  expect(await (await api.api('/test?since=0')).json()).toMatchObject({ results: [] });
});

describe('a silent database', () => {
  /** One request may wait for 6 s. Requests that waited one after the other would need several times as long. */
  const BOUND_MS = 7_500;
  afterEach(() => link.clear());
  /** Connections that were begun in the silence hold their places until their own limit: a client comes again. */
  const isWellAgain = () => until(async () => (await api.api('/auth')).status === 200);

  it('every request gets its 503 in time from a database that does not answer, however many there are, and all is well afterwards', async () => {
    const runId = await api.submit('kept');
    // Connections that are known to work, and fewer than requests.
    await Promise.all(Array.from({ length: 12 }, () => api.api('/auth')));
    link.swallow();
    const post = (headers: Record<string, string> = {}) =>
      api.api('/test/bookworm/amd64/hello', { method: 'POST', headers });
    const answered = Promise.all([
      ...Array.from({ length: 20 }, () => post()),
      ...Array.from({ length: 5 }, (_, place) => post({ 'Idempotency-Key': `word-${place}` })),
      api.api('/test?since=0'),
      api.api('/test?since=0&wait=30'),
      api.api(`/test/${runId}`),
      api.api(`/test/${runId}`, { method: 'DELETE' }),
      api.fetch('/'),
    ]);
    expect(await peerMsUntil(answered)).toBeLessThan(BOUND_MS);
    const answers = await answered;
    for (const response of answers)
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await answers[0].json()).toMatchObject({
      detail: expect.stringContaining('nothing was changed') as string,
    });
    link.clear();
    expect(await isWellAgain()).toBe(true);
    const { results } = (await (await api.api('/test?since=0')).json()) as { results: object[] };
    expect(results).toMatchObject([{ run_id: runId, status: null }]);
  });

  it('a request that asks a silent database many times gets its 503 in the time of one, and nothing is done', async () => {
    const runId = await api.submit('kept');
    await Promise.all(Array.from({ length: 10 }, () => api.api('/auth')));
    // So slow that no answer is late by itself.
    link.slow(2_200);
    const answered = Promise.all([
      api.api('/test/bookworm/amd64/slow', { method: 'POST', headers: { 'Idempotency-Key': 'slow' } }),
      api.api('/test/bookworm/amd64/slow', { method: 'POST' }),
      api.api(`/test/${runId}`, { method: 'DELETE' }),
      api.api('/test?since=0'),
    ]);
    expect(await peerMsUntil(answered)).toBeLessThan(BOUND_MS);
    const answers = await answered;
    link.clear();
    for (const response of answers)
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await answers[0].json()).toMatchObject({
      detail: expect.stringContaining('nothing was changed') as string,
    });
    expect(await isWellAgain()).toBe(true);
    expect(await (await api.api('/test?since=0')).text()).not.toContain('slow');
    expect(await (await api.api(`/test/${runId}`)).json()).toMatchObject({ status: null });
  });

  it('with a database that does not answer, ten submissions whose commits are not answered are done, and their clients learn it', async () => {
    link.loseAnswersTo('commit\0');
    const runIds = await Promise.all(Array.from({ length: 10 }, () => api.submit('lost')));
    link.clear();
    expect(new Set(runIds).size).toBe(10);
    const { results } = (await (await api.api('/test?since=0')).json()) as { results: { package: string }[] };
    expect(results.filter((run) => run.package === 'lost')).toHaveLength(10);
  });
});

it('without a bus runs are accepted and shown', async () => {
  const runId = await api.submit('hello');
  const run = (await (await api.api(`/test/${runId}`)).json()) as { reasons: string[] };
  expect(run.reasons).toEqual(['no scheduler answers for amd64']);
  expect(await (await api.fetch('/')).text()).toContain('amd64: no scheduler answers');
});

describe('a lost store', () => {
  let away: RunningApi;
  beforeAll(async () => {
    const port = await findFreePort();
    away = await startApi({ store: { ...BUCKET, endpoint: `http://127.0.0.1:${port}` } });
  });
  afterAll(() => away.stop());

  it('without a store files get 503 and a time to come back; everything else is served', async () => {
    const runId = await away.submit('hello');
    await away.finish(runId, { files: { 'log.gz': 'the log' } });
    const path = `/data/autopkgtest/bookworm/amd64/h/hello/${runId}/log.gz`;
    for (const headers of [{}, { Range: 'bytes=0-3' }] as Record<string, string>[]) {
      const response = await away.fetch(path, { headers });
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
      expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
      const text = await response.text();
      expect(text).toContain('The store of results is out of reach');
      expect(text).not.toMatch(/127\.0\.0\.1|ECONNREFUSED| at /);
    }
    expect(await (await away.api('/test?since=0')).json()).toMatchObject({ results: [{ run_id: runId }] });
  });
});
