import { request } from 'node:http';
import type { ClientRequest } from 'node:http';
import { connect } from 'node:net';
import { startApi } from '@test/support/api';
import type { RunningApi } from '@test/support/api';
import { until } from '@test/support/until';

const LIST = '/test/bookworm/amd64';

describe('the requests of a key', () => {
  let api: RunningApi;
  beforeAll(async () => {
    api = await startApi({ server: { requestsPerSecondMax: 50, requestsPerMinuteMax: 60 } });
  });
  afterAll(() => api.stop());

  it('the requests of a key are limited, and others are served meanwhile', async () => {
    const answers = await Promise.all(Array.from({ length: 80 }, () => api.api('/auth')));
    const refusals = answers.filter(({ status }) => status === 429);
    expect(refusals.length).toBeGreaterThan(15);
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(40);
    for (const response of refusals) {
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(response.headers.get('auth-user')).toBe('alice');
      expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    }
    expect((await api.api('/auth', {}, api.keys.bob)).status).toBe(200);
  });
});

describe('requests without a key', () => {
  let api: RunningApi;
  beforeAll(async () => {
    api = await startApi({ server: { anonymousRequestsPerMinuteMax: 30, trustedProxies: ['loopback'] } });
  });
  afterAll(() => api.stop());

  const from = (address: string, more: Record<string, string> = {}) => ({
    headers: { 'X-Forwarded-For': address, ...more },
  });
  const statuses = async (count: number, path: string, init: RequestInit): Promise<number[]> => {
    const answers = await Promise.all(Array.from({ length: count }, () => api.fetch(path, init)));
    return answers.map(({ status }) => status).sort();
  };
  const times = (count: number, status: number): number[] => Array<number>(count).fill(status);

  it('requests without a key are limited by address, and others are served meanwhile', async () => {
    const path = '/data/status/bookworm/amd64/packages.json';
    expect(await statuses(35, path, from('192.0.2.1'))).toEqual([...times(30, 200), ...times(5, 429)]);
    for (const other of [path, '/', '/no/such/thing', '/api/doc', '/api/v1/openapi.json']) {
      const refusal = await api.fetch(other, from('192.0.2.1'));
      expect([other, refusal.status]).toEqual([other, 429]);
      expect(Number(refusal.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(refusal.headers.get('cache-control')).toBe('no-store');
      expect(refusal.headers.get('content-type')).toMatch(/^application\/problem\+json/);
      expect(await refusal.json()).toMatchObject({
        detail: expect.stringContaining('30 requests without a key'),
      });
    }
    expect(await statuses(1, path, from('192.0.2.2'))).toEqual([200]);
    expect(await statuses(1, path, from('192.0.2.1', { 'Auth-Key': api.keys.alice }))).toEqual([200]);
    expect(await statuses(1, path, from('192.0.2.1', { 'Auth-Key': 'wrong' }))).toEqual([429]);
    expect(await statuses(40, '/health', from('192.0.2.1'))).not.toContain(429);
  });

  it('requests without a key are counted by the network of an IPv6 address', async () => {
    for (let host = 1; host <= 30; host += 1)
      expect(await statuses(1, '/api/doc', from(`2001:db8::${host}`))).toEqual([200]);
    expect(await statuses(1, '/api/doc', from('2001:db8::ffff'))).toEqual([429]);
    expect(await statuses(1, '/api/doc', from('2001:db8:0:1::1'))).toEqual([200]);
  });

  it('requests without a key are limited where a key is needed, too, and keys are not', async () => {
    const wrong = from('192.0.2.3', { 'Auth-Key': 'wrong' });
    expect(await statuses(35, '/api/v1/auth', wrong)).toEqual([...times(30, 403), ...times(5, 429)]);
    const right = from('192.0.2.3', { 'Auth-Key': api.keys.alice });
    expect(await statuses(40, '/api/v1/auth', right)).toEqual(times(40, 200));
  });

  it('requests without a key cannot name another address when no proxy is trusted', async () => {
    const alone = await startApi({ server: { anonymousRequestsPerMinuteMax: 1 } });
    try {
      expect((await alone.fetch('/api/doc', from('192.0.2.1'))).status).toBe(200);
      expect((await alone.fetch('/api/doc', from('192.0.2.2'))).status).toBe(429);
    } finally {
      await alone.stop();
    }
  });
});

describe('large bodies', () => {
  let api: RunningApi;
  beforeAll(async () => {
    api = await startApi({ server: { bodyBytesMax: 100_000, bodiesBytesMax: 150_000, bodyWaitMs: 300 } });
  });
  afterAll(() => api.stop());

  const headers = (): Record<string, string> => ({
    'Auth-Key': api.keys.alice,
    'Content-Type': 'application/json',
  });

  /** Announces a body and sends the beginning of it; resolves once the server reads it. */
  async function slow(bytes: number | null): Promise<ClientRequest> {
    const length = bytes === null ? {} : { 'Content-Length': String(bytes) };
    const outgoing = request(api.url + `/api/v1${LIST}`, {
      method: 'POST',
      headers: { ...headers(), ...length, Expect: '100-continue' },
      agent: false,
    });
    outgoing.on('error', () => undefined);
    outgoing.flushHeaders();
    await new Promise((resolve) => outgoing.once('continue', resolve));
    outgoing.write('[');
    return outgoing;
  }

  const post = (body: string): Promise<Response> =>
    api.api(LIST, { method: 'POST', body, headers: headers() });
  const large = JSON.stringify(Array(2).fill({ package: 'hello', trigger: 'x'.repeat(45_000) }));

  it('large bodies wait for room, then are refused; small ones are not', async () => {
    const first = await slow(100_000);
    await until(async () => (await post(large)).status === 503);
    const refusal = await post(large);
    expect([refusal.status, refusal.headers.get('retry-after')]).toEqual([503, '1']);
    expect((await post('[{"package":"hello"}]')).status).toBe(201);
    expect((await api.api(`${LIST}/hello`, { method: 'POST' })).status).toBe(201);
    first.destroy();
    expect(await until(async () => (await post(large)).status === 201)).toBe(true);
  });

  it('large bodies of unknown size count as the largest', async () => {
    const first = await slow(null);
    expect(await until(async () => (await post(large)).status === 503)).toBe(true);
    first.destroy();
    expect(await until(async () => (await post(large)).status === 201)).toBe(true);
  });

  it('large bodies one after the other leave no room taken', async () => {
    for (let round = 0; round < 5; round += 1) {
      const statuses = await Promise.all([
        post(large),
        post(`[${'x'.repeat(90_000)}`),
        post('x'.repeat(100_001)),
      ]);
      expect(statuses.map(({ status }) => status).filter((status) => status === 503).length).toBeLessThan(3);
    }
    expect((await post(large)).status).toBe(201);
  });
});

describe('bodies that are longer than their route needs', () => {
  let api: RunningApi;
  beforeAll(async () => {
    api = await startApi({ server: { shortBodyBytesMax: 10_000 } });
  });
  afterAll(() => api.stop());

  const json = (method: string, body: string): RequestInit => ({
    method,
    body,
    headers: { 'Content-Type': 'application/json' },
  });
  const padded = (text: string, bytes: number): string => text + ' '.repeat(bytes - text.length);

  it('a list of tests may be longer than any other body', async () => {
    const long = padded('[{"package":"hello"}]', 20_000);
    expect((await api.api(LIST, json('POST', long))).status).toBe(201);
    expect((await api.api('/test/publish', json('POST', padded('{"run_ids":""}', 9_000)))).status).toBe(200);
    const refusal = await api.api('/test/publish', json('POST', padded('{"run_ids":""}', 10_001)));
    expect([refusal.status, await refusal.json()]).toMatchObject([
      413,
      { detail: expect.stringContaining('10000') },
    ]);
  });

  it('a needless body is not read, and refused when it is long', async () => {
    // Node's own fetch sends no body with a GET. NEEDLESS_BODY_BYTES_MAX is 64 KiB.
    const status = (bytes: number) =>
      new Promise<number | undefined>((resolve, reject) => {
        const headers = { 'Auth-Key': api.keys.alice, 'Content-Type': 'text/plain', 'Content-Length': bytes };
        const outgoing = request(`${api.url}/api/v1/auth`, { headers, agent: false }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        });
        outgoing.once('error', reject);
        outgoing.end(Buffer.alloc(bytes, '['));
      });
    expect(await status(60_000)).toBe(200);
    expect(await status(70_000)).toBe(413);
    expect((await api.api('/test/999999', json('DELETE', '['))).status).toBe(404);
  });
});

describe('compression', () => {
  let api: RunningApi;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.stop());

  it.each([
    ['gzip', 'gzip'],
    ['br, gzip, deflate', 'gzip'],
    ['br', null],
    ['deflate', null],
    ['gzip;q=0', null],
    ['identity', null],
    ['*', 'gzip'],
  ])('compression for %j is %j', async (accepted, encoding) => {
    for (const path of ['/api/v1/openapi.json', '/api/doc']) {
      const response = await api.fetch(path, { headers: { 'Accept-Encoding': accepted } });
      expect([path, response.headers.get('content-encoding')]).toEqual([path, encoding]);
      expect(response.headers.get('vary')).toContain('Accept-Encoding');
    }
  });

  it('compression sends the first byte before the last row is read', async () => {
    await api.api(LIST, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(
        Array.from({ length: 3_000 }, () => ({ package: 'hello', trigger: 'x'.repeat(3_000) })),
      ),
    });
    const text = await new Promise<Buffer>((resolve, reject) => {
      const { hostname, port } = new URL(api.url);
      const socket = connect(Number(port), hostname, () =>
        socket.write(
          `GET /api/v1/test?since=0 HTTP/1.1\r\nHost: x\r\nAuth-Key: ${api.keys.alice}\r\nAccept-Encoding: gzip\r\n\r\n`,
        ),
      );
      socket.once('data', (chunk) => (resolve(chunk), socket.destroy()));
      socket.once('error', reject);
    });
    expect(text.toString('latin1')).toMatch(/^HTTP\/1.1 200 OK\r\n[^]*Content-Encoding: gzip/i);
    expect(text.length).toBeLessThan(70_000);
  });
});
