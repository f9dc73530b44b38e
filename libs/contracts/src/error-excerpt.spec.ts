import { errorSignature } from './error-excerpt';

const signature = (...lines: string[]) => errorSignature({ lines });

it.each([
  ['paths', '/build/a-1/x.c: fatal error', '/tmp/autopkgtest.aB3/x.c: fatal error'],
  ['relative paths', 'src/a.c: fatal error', 'lib/deep/b.c: fatal error'],
  ['numbers', 'killed after 12 s', 'killed after 9000 s'],
  ['addresses in memory', 'segfault at 0x7ffe12 ip', 'segfault at 0xdeadbeef ip'],
  ['addresses of hosts', 'GET http://a.example:80/x failed', 'GET https://b.example/y?z failed'],
  ['versions', 'needs libc6 (>= 2.36-9+deb12u4)', 'needs libc6 (>= 2.40-4)'],
  ['checksums', 'hash 0123456789abcdef differs', 'hash fedcba9876543210ff differs'],
  ['white space', 'a  b', ' a\tb '],
])('two errors that differ in %s only have the same signature', (_what, one, other) => {
  expect(signature(one)).toBe(signature(other));
});

it('other errors have other signatures, of 16 digits', () => {
  expect(signature('no such file')).not.toBe(signature('permission denied'));
  expect(signature('a', 'b')).not.toBe(signature('a b'));
  expect(signature('a')).toMatch(/^[0-9a-f]{16}$/);
});

it('a signature is made of hostile lines in no time', () => {
  const hostile = [
    '/'.repeat(300),
    'a-'.repeat(150),
    '1.'.repeat(150),
    'http://'.repeat(42),
    '0x'.repeat(150),
  ];
  expect(signature(...hostile)).toMatch(/^[0-9a-f]{16}$/);
});
