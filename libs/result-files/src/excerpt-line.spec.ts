import { errorSignature, EXCERPT_LINE_LENGTH_MAX, isStorable, oneLine } from '@proctor/contracts';
import { excerptLine } from './excerpt-line';

it.each([
  ['    raise ValueError("no")', '    raise ValueError("no")'],
  ['E       assert 1 == 2', 'E       assert 1 == 2'],
  ['\tat line\t3', '        at line 3'],
  ['ab\tc', 'ab      c'],
  ['a\u00a0b\0c\x1b[31m', 'a b c [31m'],
  ['the end  \r', 'the end'],
  [' \t ', ''],
  ['half \ud83d', 'half \ufffd'],
])('the line %j stands in an excerpt as %j', (text, line) => {
  expect(excerptLine(text)).toBe(line);
});

const LONG = 'word '.repeat(100);

it('a line that is too long loses its blanks first', () => {
  expect(excerptLine(' '.repeat(1_000) + 'error: no')).toBe(`${' '.repeat(291)}error: no`);
  expect(excerptLine(`  ${LONG}`)).toBe(`${LONG.slice(0, 299)}…`);
  expect(excerptLine(`   a${' '.repeat(400)}b`)).toBe('   a b');
});

it.each([
  '  File "/usr/lib/python3/x.py", line 12, in run',
  '\t\tat 0x7ffe\t12:00:00',
  `${' '.repeat(250)}${LONG}`,
  `x${'\t'.repeat(80)}y${LONG}`,
  `\0 a \u2028 b\r`,
  '\t'.repeat(2_000),
])('the signature of %j does not depend on its blanks', (text) => {
  const line = excerptLine(text);
  expect(line.length).toBeLessThanOrEqual(EXCERPT_LINE_LENGTH_MAX);
  expect(isStorable(line)).toBe(true);
  const excerptText = oneLine(text, EXCERPT_LINE_LENGTH_MAX);
  expect(errorSignature({ lines: [line, 'next'] })).toBe(errorSignature({ lines: [excerptText, 'next'] }));
});
