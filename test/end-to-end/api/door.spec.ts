import { request } from 'node:http';
import { startApi } from '../../support/api';
import type { RunningApi } from '../../support/api';

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

describe('the key', () => {
  it('opens the API and names its user', async () => {
    const response = await api.api('/auth', {}, api.keys.bob);
    expect(response.status).toBe(200);
    expect(response.headers.get('auth-user')).toBe('bob');
  });

  it.each(['', 'wrong', 'x'.repeat(8000), "' or 1=1 --", '\xff\xfe'])(
    'is needed: %j is none',
    async (key) => {
      const response = await api.api('/auth', {}, key);
      await expectProblem(response, 403);
      expect(response.headers.get('auth-user')).toBeNull();
    },
  );

  it('is looked at before the endpoint, the method and the body are', async () => {
    await expectProblem(await api.fetch('/api/v1/auth'), 403);
    await expectProblem(await api.fetch('/api/v1'), 403);
    await expectProblem(await api.fetch('/api/v1/nothing/here'), 403);
    await expectProblem(await api.fetch('/api/v1/auth', { method: 'DELETE' }), 403);
    const tooLarge = { method: 'POST', body: Buffer.alloc(1_000_000) };
    await expectProblem(await api.fetch('/api/v1/test/bookworm/amd64', tooLarge), 403);
  });

  it('is refused while the body is still being sent', async () => {
    const status = await new Promise((resolve, reject) => {
      const sent = request(`${api.url}/api/v1/test/bookworm/amd64`, {
        method: 'POST',
        headers: { 'Content-Length': '100000', 'Content-Type': 'application/json' },
      });
      sent.once('response', (response) => {
        resolve(response.statusCode);
        sent.destroy();
      });
      sent.once('error', reject);
      sent.write('[');
    });
    expect(status).toBe(403);
  });

  it('closes again when it is revoked', async () => {
    const { key, id } = await api.database.apiKeys.create('bob', 'short-lived');
    expect((await api.api('/auth', {}, key)).status).toBe(200);
    await api.database.apiKeys.revoke(id);
    await expectProblem(await api.api('/auth', {}, key), 403);
  });
});

describe('paths and methods', () => {
  it.each(['//api/v1/auth', '/api//v1///auth/', '/api/v1/auth/', '/api/v1/auth?x=//'])(
    'takes %s',
    async (path) => {
      const response = await api.fetch(path, { headers: { 'Auth-Key': api.keys.alice } });
      expect(response.status).toBe(200);
      expect((await api.fetch(path)).status).toBe(403);
    },
  );

  it('knows the user at an endpoint that it does not know', async () => {
    const response = await api.api('/nothing');
    const { detail } = await expectProblem(response, 404);
    expect(detail).toContain('/api/v1/nothing');
    expect(response.headers.get('auth-user')).toBe('alice');
  });

  it.each([
    ['DELETE', '/auth', 'GET, HEAD'],
    ['POST', '/auth', 'GET, HEAD'],
    ['GET', '/test/bookworm/amd64', 'POST'],
    ['PUT', '/test/bookworm/amd64/hello/', 'POST'],
    ['OPTIONS', '/test', 'GET, HEAD'],
  ])('answers %s %s with what is allowed', async (method, path, allow) => {
    const response = await api.api(path, { method });
    await expectProblem(response, 405);
    expect(response.headers.get('allow')).toBe(allow);
    expect(response.headers.get('auth-user')).toBe('alice');
  });

  it.each(['/API/V1/auth', '/api/V1/auth', '/api/v1/Auth'])(
    'distinguishes upper and lower case: %s',
    async (path) => {
      await expectProblem(await api.fetch(path, { headers: { 'Auth-Key': api.keys.alice } }), 404);
    },
  );

  it('answers HEAD like GET, without a body', async () => {
    for (const path of ['/auth', '/reject_list', '/test?since=0']) {
      const [head, get] = [await api.api(path, { method: 'HEAD' }), await api.api(path)];
      expect([head.status, await head.text()]).toEqual([200, '']);
      expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'));
    }
  });

  it.each([
    '/api/v1/test/%ff',
    '/api/v1/test/%zz',
    '/data/packages/%ff/a/h/hello/latest.json',
    '/packages/h/%ff/a/b/',
  ])('answers 400 for %s', async (path) => {
    await expectProblem(await api.fetch(path, { headers: { 'Auth-Key': api.keys.alice } }), 400);
  });

  it('answers "not modified"', async () => {
    const etag = (await api.api('/reject_list')).headers.get('etag')!;
    // Without the second header, fetch would ask not to be answered so.
    const headers = { 'If-None-Match': etag, 'Cache-Control': 'max-age=0' };
    expect((await api.api('/reject_list', { headers })).status).toBe(304);
  });
});

describe('what an answer gives away', () => {
  it('has the headers of a careful server', async () => {
    const { headers } = await api.fetch('/');
    expect(headers.get('x-powered-by')).toBeNull();
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('content-security-policy')).not.toContain('unsafe');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('is a page for browsers and a problem for others', async () => {
    const page = await api.fetch('/nothing/<b>', { headers: { Accept: 'text/html,*/*;q=0.8' } });
    expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    const html = await page.text();
    expect(html).toContain('Not Found');
    expect(html).not.toContain('<b>');
    await expectProblem(await api.fetch('/nothing'), 404);
    const fromBrowser = { headers: { Accept: 'text/html', 'Auth-Key': api.keys.alice } };
    await expectProblem(await api.fetch('/api/v1/nothing', fromBrowser), 404);
  });

  it('says that all is well', async () => {
    const response = await api.fetch('/health');
    expect([response.status, await response.json()]).toEqual([200, { database: true, bus: true }]);
  });

  it('is the reject list as configured', async () => {
    expect(await (await api.api('/reject_list')).json()).toMatchObject({
      blocked: { '*': { '*': { '*': '' } } },
    });
  });
});

describe('bodies that are too large', () => {
  const body = Buffer.alloc(200_001, 'a');

  it.each([
    ['announced', body],
    ['not announced', new ReadableStream({ pull: (stream) => (stream.enqueue(body), stream.close()) })],
  ])('are refused when their size is %s', async (_how, content) => {
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const init = { method: 'POST', headers, body: content, duplex: 'half' } as RequestInit;
    const response = await api.api('/test/bookworm/amd64', init);
    const { detail } = await expectProblem(response, 413);
    expect(detail).toContain('200000 bytes');
    expect(response.headers.get('auth-user')).toBe('alice');
  });

  it('are refused as a form too, and compressed', async () => {
    const form = new FormData();
    form.set('tests', new Blob([body]), 'tests.json');
    await expectProblem(await api.api('/test/bookworm/amd64', { method: 'POST', body: form }), 413);
    const { gzipSync } = await import('node:zlib');
    const headers = { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' };
    const bomb = gzipSync(Buffer.alloc(5_000_000));
    await expectProblem(await api.api('/test/bookworm/amd64', { method: 'POST', headers, body: bomb }), 413);
  });
});
