import { VERSION } from '@proctor/process';
import { startApi } from '@test/support/api';
import type { RunningApi } from '@test/support/api';

let api: RunningApi;
beforeAll(async () => {
  api = await startApi({ server: { bodyBytesMax: 200_000 } });
});
afterAll(() => api.stop());

async function expectProblem(response: Response, status: number): Promise<Record<string, unknown>> {
  expect([response.status, response.headers.get('content-type')]).toEqual([
    status,
    expect.stringMatching(/^application\/problem\+json/),
  ]);
  const document = (await response.json()) as Record<string, unknown>;
  expect(document).toMatchObject({ status, title: expect.any(String), detail: expect.any(String) });
  return document;
}

it('a request without a key is refused before its method and the size of its body are looked at', async () => {
  await expectProblem(await api.fetch('/api/v1/auth', { method: 'DELETE' }), 403);
  const tooLarge = { method: 'POST', body: Buffer.alloc(1_000_000) };
  await expectProblem(await api.fetch('/api/v1/test/bookworm/amd64', tooLarge), 403);
});

it('slashes in a query are no part of the path', async () => {
  const path = '/api//v1///auth/?x=//';
  const response = await api.fetch(path, { headers: { 'Auth-Key': api.keys.alice } });
  expect(response.status).toBe(200);
  expect((await api.fetch(path)).status).toBe(403);
});

it('an endpoint that is not known is named in the refusal', async () => {
  const { detail } = await expectProblem(await api.api('/nothing'), 404);
  expect(detail).toContain('/api/v1/nothing');
});

it.each([
  ['POST', '/auth', 'GET, HEAD'],
  ['GET', '/test/bookworm/amd64', 'POST'],
  ['OPTIONS', '/test', 'GET, HEAD'],
])('the refusal of %s %s names what is allowed and nothing else', async (method, path, allow) => {
  const response = await api.api(path, { method });
  await expectProblem(response, 405);
  expect(response.headers.get('allow')).toBe(allow);
});

it.each(['/API/V1/auth', '/api/V1/auth', '/api/v1/Auth'])(
  'a path differs from one in other letter case: %s',
  async (path) => {
    await expectProblem(await api.fetch(path, { headers: { 'Auth-Key': api.keys.alice } }), 404);
  },
);

it.each(['/api/v1/test/%zz', '/data/packages/%ff/a/h/hello/latest.json', '/packages/h/%ff/a/b/'])(
  'a path that is no UTF-8 or badly encoded is a bad request: %s',
  async (path) => {
    await expectProblem(await api.fetch(path, { headers: { 'Auth-Key': api.keys.alice } }), 400);
  },
);

it('a page may load nothing but what its content security policy names', async () => {
  const { headers } = await api.fetch('/');
  expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(headers.get('content-security-policy')).not.toContain('unsafe');
});

it('a refusal is a page for browsers and a problem for others', async () => {
  const page = await api.fetch('/nothing/<b>', { headers: { Accept: 'text/html,*/*;q=0.8' } });
  expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
  const html = await page.text();
  expect(html).toContain('Not Found');
  expect(html).not.toContain('<b>');
  await expectProblem(await api.fetch('/nothing'), 404);
  const fromBrowser = { headers: { Accept: 'text/html', 'Auth-Key': api.keys.alice } };
  await expectProblem(await api.fetch('/api/v1/nothing', fromBrowser), 404);
});

it('/health says that all is well', async () => {
  const response = await api.fetch('/health');
  const well = { version: VERSION, ready: true, database: true, bus: true, reasons: [] };
  expect([response.status, await response.json()]).toEqual([200, well]);
  expect((await api.fetch('/health/live')).status).toBe(200);
});

describe('bodies that are too large', () => {
  const body = Buffer.alloc(200_001, 'a');

  it.each([
    ['announced', body],
    ['not announced', new ReadableStream({ pull: (stream) => (stream.enqueue(body), stream.close()) })],
  ])('a body that is too large is refused when its size is %s', async (_how, content) => {
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const init = { method: 'POST', headers, body: content, duplex: 'half' } as RequestInit;
    const response = await api.api('/test/bookworm/amd64', init);
    const { detail } = await expectProblem(response, 413);
    expect(detail).toContain('200000 bytes');
    expect(response.headers.get('auth-user')).toBe('alice');
  });

  it('a body that is too large is refused as a form too, and compressed', async () => {
    const form = new FormData();
    form.set('tests', new Blob([body]), 'tests.json');
    await expectProblem(await api.api('/test/bookworm/amd64', { method: 'POST', body: form }), 413);
    const { gzipSync } = await import('node:zlib');
    const headers = { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' };
    const bomb = gzipSync(Buffer.alloc(5_000_000));
    await expectProblem(await api.api('/test/bookworm/amd64', { method: 'POST', headers, body: bomb }), 413);
  });
});
