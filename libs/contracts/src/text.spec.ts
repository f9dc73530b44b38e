import { cut, isStorable, oneLine } from './text';

it.each([
  ['as it is', 'as it is'],
  [' two\n\tlines\r\n', 'two lines'],
  ['a\0b\x1b[31mc', 'a b [31mc'],
  ['0123456789', '0123456789'],
  ['0123456789a', '012345678…'],
  ['01234567😀😀', '01234567\ufffd…'],
  ['half \ud83d', 'half \ufffd'],
  ['', ''],
])('%j on one line is %j', (text, line) => {
  expect(oneLine(text, 10)).toBe(line);
  expect(isStorable(oneLine(text, 10))).toBe(true);
});

it.each([
  ['01234567\u{1f600}\u{1f600}', '01234567\u{1f600}'],
  ['012345678\u{1f600}', '012345678\ufffd'],
  ['two\nlines', 'two\nlines'],
])('%j is cut to %j', (text, first) => {
  expect(cut(text, 10)).toBe(first);
});
