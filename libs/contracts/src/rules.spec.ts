import { describe as shown } from './rules';

it.each([
  [undefined, 'missing'],
  [null, 'null'],
  [5, '5'],
  [true, 'true'],
  [[1], 'an array'],
  [{}, 'an object'],
  ['a"b\n', '"a\\"b\\n"'],
  ['\ud800', '"\ufffd"'],
])('%j is shown as %s', (value, text) => {
  expect(shown(value)).toBe(text);
});

it('a long text is shortened', () => {
  expect(shown('x'.repeat(1000)).length).toBeLessThan(100);
});
