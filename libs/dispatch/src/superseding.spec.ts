import { supersedes } from './superseding';

it.each([
  ['glibc/2.42-2', 'glibc/2.42-1'],
  ['glibc/2.42-1', 'glibc/2.42~rc1-1'],
  ['glibc/1:2.1-1', 'glibc/2.42-1'],
  ['glibc/2.42-1+b10', 'glibc/2.42-1+b9'],
  ['gcc-15/15.2-2 binutils/2.45-1', 'gcc-15/15.2-1 binutils/2.45-1'],
  ['gcc-15/15.2-2 binutils/2.45-2', 'gcc-15/15.2-1 binutils/2.45-1'],
  ['manual glibc/2.42-2', 'manual glibc/2.42-1'],
])('%s supersedes %s, and not the other way round', (newer, older) => {
  expect(supersedes(newer, older)).toBe(true);
  expect(supersedes(older, newer)).toBe(false);
});

it.each([
  ['the same trigger', 'glibc/2.42-1', 'glibc/2.42-1'],
  ['equal versions in another form', 'glibc/2.42-01', 'glibc/2.42-1'],
  ['another source', 'glibc/2.42-2', 'perl/5.40-1'],
  ['one source more', 'glibc/2.42-2 perl/5.40-1', 'glibc/2.42-1'],
  ['another order', 'perl/5.40-2 glibc/2.42-2', 'glibc/2.42-1 perl/5.40-1'],
  ['one source older', 'gcc-15/15.2-2 binutils/2.45-1', 'gcc-15/15.2-1 binutils/2.45-2'],
  ['no version', 'glibc/', 'glibc/2.42-1'],
  ['free text', 'again please', 'again, please'],
  ['a reference', 'migration-reference/0', 'migration-reference/0'],
  ['an empty trigger', '', ''],
])('%s supersedes nothing', (_case, newer, older) => {
  expect(supersedes(newer, older)).toBe(false);
  expect(supersedes(older, newer)).toBe(false);
});

it('a run without a trigger supersedes nothing and is not superseded', () => {
  expect(supersedes(null, 'glibc/2.42-1')).toBe(false);
  expect(supersedes('glibc/2.42-1', null)).toBe(false);
});
