import { nameHidden } from './hidden-characters';

it.each([
  ['a turned order', 'a\u202eb\u2066c', 'a[U+202E]b[U+2066]c'],
  ['commands of a terminal', '\x1b]8;;x\x07', '\ufffd]8;;x\ufffd'],
  ['half a character', 'a\ud800', 'a\ufffd'],
  ['lines, words of any script and pictures', 'a\tb\r\nفارسی\u200c👩‍🔬', 'a\tb\r\nفارسی\u200c👩‍🔬'],
])('a text with %s is shown with nothing hidden in it', (_what, text, expected) => {
  expect(nameHidden(text)).toBe(expected);
});
