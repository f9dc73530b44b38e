import { startApi } from '@test/support/api';
import type { RunningApi } from '@test/support/api';
import { sendRaw, type RawAnswer } from '@test/support/raw-http';

let api: RunningApi;
let port: number;

beforeAll(async () => {
  api = await startApi();
  port = Number(new URL(api.url).port);
  await api.finish(await api.submit('hello'));
});
afterAll(() => api.stop());

/** @param headers whole lines */
function ask(method: string, target: string, headers: string[] = [], body = ''): Promise<RawAnswer> {
  const lines = [`${method} ${target} HTTP/1.1`, 'Host: own.example', 'X-Request-Id: test', ...headers];
  const length = body === '' ? [] : [`Content-Length: ${body.length}`];
  return sendRaw(port, Buffer.from([...lines, ...length, '', body].join('\r\n') + (body ? '' : '\r\n')));
}

const comparable = ({ status, headers, body }: RawAnswer) => ({
  status,
  user: headers.get('auth-user'),
  type: headers.get('content-type'),
  allow: headers.get('allow'),
  body: body.replace(/"(uptime|at|time|now)[^,}]*/g, ''),
});

it('every route answers a whole address as it answers the path of it', async () => {
  const filled = api.routes
    .map((route) => route.split(' ') as [string, string])
    .filter(([method, path]) => method === 'GET' && !/events|\/live$|health|login|test$/.test(path))
    .map(([, path]) => path.replace(/:run_id\b/g, '1').replace(/[:*]\w+/g, 'hello'));
  expect(filled.length).toBeGreaterThan(100);
  const differing: string[] = [];
  for (const path of filled) {
    const headers = [`Auth-Key: ${api.keys.alice}`];
    const [asPath, asAddress] = [
      await ask('GET', `${path}?x=1`, headers),
      await ask('GET', `http://own.example${path}?x=1`, headers),
    ];
    if (JSON.stringify(comparable(asPath)) !== JSON.stringify(comparable(asAddress))) differing.push(path);
  }
  expect(differing).toEqual([]);
});

it.each(['/api/v1/auth', 'http://any.example/api/v1/auth', '/', '/no/such/page'])(
  'a request for %s with two headers Host is refused',
  async (target) => {
    const answer = await ask('GET', target, ['hOST: other.example', `Auth-Key: ${api.keys.alice}`]);
    expect(answer.status).toBe(400);
    expect(answer.body).toContain('one header Host only');
  },
);

it('a request with a header Host that names no host is refused on every route', async () => {
  for (const target of ['/api/v1/auth', '/health', '/', '/assets/style.css'])
    for (const host of ['user@other.example', 'other.example/path', 'a b']) {
      const answer = await sendRaw(port, Buffer.from(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\n\r\n`));
      expect([target, host, answer.status]).toEqual([target, host, 400]);
      expect(answer.body).toContain('The header Host must be');
    }
});

it.each([
  ['http://any.example/api/v1/auth', 200],
  ['http://any.example//api//v1/auth?x=//', 200],
  ['HTTPS://user:word@any.example:8443/api/v1/auth', 200],
  ['http://any.example/data/v1/queues', 200],
  ['http://any.example', 200],
  ['http://any.example?x=1', 200],
  ['/api/v1/auth#part', 200],
  ['/data/v1/queues#part', 200],
  ['http://any.example/no/such/page', 404],
  ['http://', 400],
  ['http:///api/v1/auth', 400],
  ['http://[::1/api/v1/auth', 400],
  ['ftp://any.example/api/v1/auth', 400],
  ['*', 400],
])('GET %s with a key is answered %d', async (target, status) => {
  const { status: actualStatus, headers, body } = await ask('GET', target, [`Auth-Key: ${api.keys.alice}`]);
  expect([actualStatus, headers.get('x-request-id')]).toEqual([status, 'test']);
  if (status >= 400) expect(JSON.parse(body)).toMatchObject({ status, request_id: 'test' });
});

/** Ways to write the path of an endpoint that needs a key, and of a page that needs a login. */
const OTHER_WAYS = [
  '/api/v1/auth',
  'http://any.example/api/v1/auth',
  'http://any.example/data/v1/queues/../../../api/v1/auth',
  '//api/v1/auth',
  '/./api/v1/auth',
  '/api/./v1/auth',
  '/api/v1/./auth',
  '/x/../api/v1/auth',
  '/%2e%2e/api/v1/auth',
  '/%2fapi/v1/auth',
  '/%61pi/v1/auth',
  '/api%2fv1/auth',
  '/api/v1/auth%00',
  '/api\\v1\\auth',
  '/api/v1\\auth',
  '/API/v1/auth',
  '/api/v1/auth;x',
  '/api/v1/auth/',
  '/api/v1/auth#/data/v1/queues',
  '/data/v1/queues#/../../../api/v1/auth',
  '/data/v1/test/1/../../../../api/v1/auth',
  '/data/v1/runs/1/artifacts/../../../auth',
  '/api/v1/admin/users/%zz',
  '/api/v1/%ff',
  '/%',
  '/%zz',
  '/%ff',
  '/%c0%ae%c0%ae/api/v1/auth',
  '/packages/h/%ff/',
  '/assets/%ff',
  '/assets/..%2f..%2f..%2fmain.js',
  '/assets/%00',
  '/?%zz=%ff',
];

it.each(['GET', 'POST', 'DELETE'])(
  'no way to write a path with %s gets past the keys, or fails',
  async (method) => {
    for (const target of OTHER_WAYS) {
      const { status, headers, body } = await ask(method, target);
      expect([target, headers.get('auth-user')]).toEqual([target, undefined]);
      expect([target, status !== null && status < 500]).toEqual([target, true]);
      expect([target, body.includes('"scope"')]).toEqual([target, false]);
    }
  },
);

it.each(['*', 'http://any.example'])('OPTIONS %s says what the server takes', async (target) => {
  const { status, headers } = await ask('OPTIONS', target);
  expect([status, headers.get('allow')]).toEqual([204, 'DELETE, GET, HEAD, OPTIONS, POST']);
});

it('the host of a whole address is that of links, and of the pages that forms may come from', async () => {
  const feed = await ask('GET', 'http://any.example/data/feeds/all-packages.xml');
  expect(feed.body).toContain('http://any.example/');
  expect(feed.body).not.toContain('own.example');
  const form = ['Content-Type: application/x-www-form-urlencoded'];
  const login = (target: string, origin: string) =>
    ask('POST', target, [...form, `Origin: ${origin}`], 'name=alice&password=x');
  const refusal = 'was not sent from a page of http://any.example';
  expect((await login('http://any.example/user/login', 'http://own.example')).body).toContain(refusal);
  expect((await login('http://any.example/user/login', 'http://any.example')).body).not.toContain(refusal);
});
