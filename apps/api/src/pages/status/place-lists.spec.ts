import fc from 'fast-check';
import { fitsPattern, rejectedList } from './place-lists';

it.each([
  ['rust-serde', 'rust-serde', true],
  ['rust-serde', 'rust', false],
  ['rust-serde', 'rust-*', true],
  ['rust-serde', '*serde', true],
  ['rust-serde', '*-*', true],
  ['rust-serde', 'r*s*t*s*e', true],
  ['rust-serde', '*serde*rust*', false],
  ['aba', 'ab*ba', false],
  ['abba', 'ab*ba', true],
  ['a.b', 'a+b', false],
])('the name %s and the pattern %s: %s', (name, pattern, fits) => {
  expect(fitsPattern(name, pattern)).toBe(fits);
});

it('names fit patterns as a regular expression would have it', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 8 });
  fc.assert(
    fc.property(text, text, (sample, pattern) => {
      const name = sample.replaceAll('*', 'c');
      const expected = new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(name);
      expect(fitsPattern(name, pattern)).toBe(expected);
    }),
    { numRuns: 500 },
  );
});

it('an entry of the reject list has its pattern, where and in which version it holds, and when the configuration was read', () => {
  const readAt = new Date('2026-11-02T03:04:05Z');
  const entry = { package: 'rust-*', suite: '*', arch: 'arm64', version: '1.2-3' };
  const { columns } = rejectedList(
    () => [entry],
    () => readAt,
  );
  expect(columns.map(({ cell }) => cell(entry))).toMatchObject([
    { link: { text: 'rust-*', url: '/status/reject_list/?package=rust-*' } },
    { text: 'all' },
    { text: 'arm64' },
    { text: '1.2-3' },
    { at: readAt, url: null },
  ]);
});
