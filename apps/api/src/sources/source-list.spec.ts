import * as fc from 'fast-check';
import { atOnce } from '../http/slices';
import { editDistance, letterBits, lettersApart } from './edit-distance';
import { SourceList } from './source-list';

const LIST = `0ad
0ad-data
foo
foo+bar
foo-doc foo
glib2.0
libfoo1 foo
libfoo1 foo-legacy
no-such
nosuch2
python-foo
zlib
`;

function list(text = LIST): SourceList {
  return atOnce(SourceList.read(text));
}

it('a list knows its source packages, and of binary packages who builds them', () => {
  const sourceList = list();
  expect(['0ad', 'foo+bar', 'zlib', 'foo-doc', 'libfoo1', 'fo'].map((name) => sourceList.has(name))).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
  expect(sourceList.sourcesOfBinary('libfoo1')).toEqual(['foo', 'foo-legacy']);
  expect(sourceList.sourcesOfBinary('foo-doc')).toEqual(['foo']);
  expect(['foo', 'libfoo', 'a', 'zz'].map((name) => sourceList.sourcesOfBinary(name))).toEqual([
    [],
    [],
    [],
    [],
  ]);
  expect(sourceList.size).toBe(12);
});

it.each([
  ['nosuch', ['no-such', 'nosuch2']],
  ['no-suhc', ['no-such']],
  ['pyhton-foo', ['python-foo']],
  ['glib20', ['glib2.0']],
  ['fo', ['foo']],
  ['zlbi', ['zlib']],
  ['zbil', []],
  ['something-else', []],
  ['a'.repeat(200), []],
])('near %s are %j', (name, near) => {
  expect(atOnce(list().near(name))).toEqual(near);
});

it('no more than three near names are found, and none that is farther than another', () => {
  const text = ['aaaaab', 'aaaaac', 'aaaabb', 'aaaacc', 'aaaaad', 'aaaaae'].sort().join('\n');
  expect(atOnce(list(`${text}\n`).near('aaaaaa'))).toEqual(['aaaaab', 'aaaaac', 'aaaaad']);
  expect(atOnce(list('aaaabb\naaaaab\n').near('aaaaaa'))).toEqual(['aaaaab']);
});

it('a distance is that of the shortest way, which the letters never exceed', () => {
  const word = fc.stringMatching(/^[abc-]{1,8}$/);
  fc.assert(
    fc.property(word, word, (one, other) => {
      const distance = editDistance(one, other, 20);
      expect(distance).toBe(alignment(one, other));
      expect(editDistance(other, one, 20)).toBe(distance);
      expect(editDistance(one, other, 2) <= 2).toBe(distance <= 2);
      expect(lettersApart(letterBits(one), letterBits(other))).toBeLessThanOrEqual(2 * distance);
    }),
  );
});

/** As the definition says. */
function alignment(one: string, other: string): number {
  if (one === '' || other === '') return one.length + other.length;
  const cost = one.at(-1) === other.at(-1) ? 0 : 1;
  const ways = [
    alignment(one.slice(0, -1), other) + 1,
    alignment(one, other.slice(0, -1)) + 1,
    alignment(one.slice(0, -1), other.slice(0, -1)) + cost,
  ];
  if (one.length > 1 && other.length > 1 && one.at(-1) === other.at(-2) && one.at(-2) === other.at(-1))
    ways.push(alignment(one.slice(0, -2), other.slice(0, -2)) + 1);
  return Math.min(...ways);
}
