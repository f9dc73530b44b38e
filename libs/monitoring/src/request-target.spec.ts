import { readTarget } from './request-target';

function targetOf(url: string, method = 'GET'): { url: string; host: string | undefined; isUsable: boolean } {
  const request = { url, method, headers: { host: 'own.example' } as { host?: string }, rawHeaders: [] };
  const isUsable = readTarget(request) === null;
  return { url: request.url, host: request.headers.host, isUsable };
}

const faultOf = (url: string, ...hosts: string[]): string | null =>
  readTarget({
    url,
    method: 'GET',
    headers: { host: hosts[0] },
    rawHeaders: hosts.flatMap((host) => ['hOST', host]),
  });

it.each([
  ['/', '/'],
  ['//', '/'],
  ['//api/v1/auth', '/api/v1/auth'],
  ['///api//v1///auth/', '/api/v1/auth/'],
  ['//api?x=//y', '/api?x=//y'],
  ['/a#//b', '/a'],
  ['/api?x=//y#z?', '/api?x=//y'],
  ['/a%2F%2Fb', '/a%2F%2Fb'],
  ['/./a/../b', '/./a/../b'],
  ['/http://other.example/', '/http:/other.example/'],
])('the path of the target %s is %s', (target, url) => {
  expect(targetOf(target)).toEqual({ url, host: 'own.example', isUsable: true });
});

it.each([
  ['http://any.example/api/v1/auth', '/api/v1/auth', 'any.example'],
  ['https://any.example/api/v1/auth', '/api/v1/auth', 'any.example'],
  ['HTTP://ANY.example:8080/a', '/a', 'ANY.example:8080'],
  ['http://any.example', '/', 'any.example'],
  ['http://any.example?x=/y', '/?x=/y', 'any.example'],
  ['http://any.example#x', '/', 'any.example'],
  ['http://any.example//api//v1/test?since=0&x=//', '/api/v1/test?since=0&x=//', 'any.example'],
  ['http://user:pass@any.example/a', '/a', 'any.example'],
  ['http://@any.example/a', '/a', 'any.example'],
  ['http://[::1]:8080/a', '/a', '[::1]:8080'],
  ['http://any.example/a@b', '/a@b', 'any.example'],
  ['http://any.example/http://other.example/', '/http:/other.example/', 'any.example'],
])('of the address %s, the path is %s and the host is %s', (target, url, host) => {
  expect(targetOf(target)).toEqual({ url, host, isUsable: true });
});

it.each([
  'ftp://any.example/api/v1/auth',
  'http://',
  'http:///api/v1/auth',
  'http://[::1/a',
  'http://a b/',
  'http://any.example:port/',
  'http://a@b@c/',
  'http:/api',
  'api',
  '',
  '*',
])('the target %s is neither a path nor an address', (target) => {
  expect(targetOf(target)).toEqual({ url: '/', host: 'own.example', isUsable: false });
});

it.each(['*', 'http://any.example'])('OPTIONS %s asks about the whole server', (target) => {
  expect(targetOf(target, 'OPTIONS')).toMatchObject({ url: '*', isUsable: true });
});

it.each(['/health', 'http://any.example/health', '*'])('a request for %s has one Host', (target) => {
  const several = 'A request may have one header Host only.';
  expect(faultOf(target, 'own.example', 'other.example')).toBe(several);
  expect(faultOf(target, 'own.example', 'own.example')).toBe(several);
});

it.each([
  'a b',
  'user@own.example',
  'own.example/path',
  'own.example?x',
  'own.example:port',
  '[::1',
  'h\u00e4',
  'a,b c',
])('the header Host %s names no host; a whole address replaces it', (host) => {
  expect(faultOf('/health', host)).toMatch(/^The header Host must be /);
  expect(faultOf('http://any.example/health', host)).toBeNull();
});

it.each(['own.example', 'own.example:8080', '127.0.0.1', '[::1]:8080', 'own_name', ''])(
  'the header Host %j is usable',
  (host) => expect(faultOf('/health', host)).toBeNull(),
);

it('a client of HTTP/1.0 sends no Host', () => expect(faultOf('/health')).toBeNull());
