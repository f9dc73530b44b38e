import * as fc from 'fast-check';
import { escapeText, escapeLine, escapeValue, LINE_LENGTH_MAX } from './escape-text';

const HARMFUL = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

it.each([
  ['a line end', 'a\nb\r\nc', 'a\\nb\\r\\nc'],
  ['a tab', 'a\tb', 'a\\tb'],
  ['the beginning of a terminal command', '\u001b[2Ja\u009b31m\u0007', '\\x1b[2Ja\\x9b31m\\x07'],
  ['NUL and DEL', '\0\x7f', '\\x00\\x7f'],
  ['what turns the direction of text', 'a\u202eb\u2066c\u200f', 'a\\u202eb\\u2066c\\u200f'],
  ['what is not seen', 'a\u200bb\ufeff\u{e0041}', 'a\\u200bb\\ufeff\\u{e0041}'],
  ['line ends of Unicode', 'a\u2028b\u2029c\u0085', 'a\\u2028b\\u2029c\\x85'],
  ['half a character', 'a\ud800b\udc00', 'a\\ud800b\\udc00'],
])('%s is escaped', (_, text, expected) => {
  expect(escapeLine(text)).toBe(expected);
});

it('text of any language stays as it is', () => {
  const text = 'Grüße, Ελλάδα, 東京, שלום, 😀: a\\n is "no" line end';
  expect(escapeText(text)).toBe(text);
});

it('a long text is cut, and says by how much', () => {
  expect(escapeLine('x'.repeat(LINE_LENGTH_MAX))).toHaveLength(LINE_LENGTH_MAX);
  expect(escapeLine('x'.repeat(LINE_LENGTH_MAX + 7))).toBe(
    `${'x'.repeat(LINE_LENGTH_MAX)}… (7 more characters)`,
  );
});

it('a stack keeps the lines of its places, and what stands before them is one line', () => {
  const error = new Error('bad name:\n12:00:00.000 Dispatcher: all is well');
  const [head, ...places] = escapeText(error.stack!).split('\n');
  expect(head).toBe('Error: bad name:\\n12:00:00.000 Dispatcher: all is well');
  expect(places.length).toBeGreaterThan(1);
  for (const place of places) expect(place).toMatch(/^ {4}at /);
});

it('an error is shown by its stack and its cause', () => {
  const text = escapeValue(new Error('no turn', { cause: new Error('out\nof range') })) as string;
  expect(text).toMatch(/^Error: no turn, caused by Error: out\\nof range\n {4}at /);
});

it('fields are escaped at each depth, and their names', () => {
  const value = { 'a\n': ['\u001b', { deep: '\n' }], n: 5, none: null };
  expect(escapeValue(value)).toEqual({ 'a\\n': ['\\x1b', { deep: '\\n' }], n: 5, none: null });
  let nested: object = {};
  for (let depth = 0; depth < 100_000; depth += 1) nested = { nested };
  expect(JSON.stringify(escapeValue(nested))).toContain('…');
});

it('whatever the text, no harm is left, and a second look changes nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      const once = escapeText(text);
      for (const line of once.split('\n').slice(1)) expect(line).toMatch(/^ {4,}at /);
      expect(HARMFUL.test(once.replaceAll('\n', ''))).toBe(false);
      expect(escapeText(once)).toBe(once);
    }),
  );
});
