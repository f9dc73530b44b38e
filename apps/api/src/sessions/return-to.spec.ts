import { loginUrl, returnTo } from './return-to';

it.each([
  ['/', '/'],
  ['/user/alice/keys', '/user/alice/keys'],
  ['/packages/h/hello/?a=1&b=%2F%2Fevil#L12', '/packages/h/hello/?a=1&b=%2F%2Fevil#L12'],
  ['/api/v1/retry/12', '/api/v1/retry/12'],
])('a login leads back to the path %s', (target, led) => {
  expect(returnTo(target)).toBe(led);
});

it.each([
  undefined,
  null,
  ['/a', '/b'],
  '',
  'evil',
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/.//evil.example',
  '/x/..//evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  ' //evil.example',
  'https://evil.example/',
  'https:evil.example',
  'javascript:alert(1)',
  '/ü',
  '/user/login',
  '/user/logout',
  `/${'a'.repeat(3_000)}`,
])('a login leads to the first page instead of %j', (target) => {
  expect(returnTo(target)).toBe('/');
});

it('the address of the login carries the path that it leads back to', () => {
  const url = new URL(loginUrl('/user/me/test?package=a&suite=b'), 'http://here.invalid');
  expect(returnTo(url.searchParams.get('next'))).toBe('/user/me/test?package=a&suite=b');
});
