import fc from 'fast-check';
import { refusalOf } from '@test/support/refusal';
import { JSON_DEPTH_MAX, JSON_NAMES_MAX, JSON_TOKEN_BYTES_MAX, JSON_VALUES_MAX } from './json-reader';
import { readJson } from './json-reader';
import { atOnce } from './slices';

const valueIn = (text: string | Buffer): unknown => atOnce(readJson(Buffer.from(text), 'The body', '#'));
const refusal = (text: string | Buffer) => refusalOf(() => valueIn(text));

/** More than is parsed at a time. */
const LONG = 'x'.repeat(40_000);

it.each(['[]', '{}', ' [1, 2.5e3, "a\\"b", null] ', '5', '"a"', '\ufeff[1]', '{"a":{"b":[{}]},"a":2}'])(
  'the short JSON %j is read',
  (text) => expect(valueIn(text)).toEqual(JSON.parse(text.replace('\ufeff', ''))),
);

it.each<[string, unknown]>([
  ['a list of items', Array.from({ length: 20_000 }, (_, n) => ({ package: `p${n}`, trigger: 'a/1' }))],
  ['a list within an object', { tests: Array.from({ length: 9_000 }, (_, n) => [n, { n }]), priority: 5 }],
  ['long members beside short ones', [LONG, [LONG, { a: LONG, b: [LONG, [], {}] }, 1], {}, [LONG]]],
  ['an object of long members', { a: LONG, b: { c: LONG, d: LONG }, '': LONG, 7: [LONG] }],
  ['names and brackets within texts', [`${'",[{:'.repeat(20_000)}`, { '\\"': LONG, 'é€😀': [LONG, 'é€😀'] }]],
])('of a long JSON, %s is what JSON.parse makes of it', (_what, value) => {
  for (const text of [JSON.stringify(value), JSON.stringify(value, null, 2)])
    expect(valueIn(text)).toEqual(value);
});

it('names of prototypes are names in a long text, too', () => {
  const text = `{"__proto__":{"a":"${LONG}"},"constructor":1,"b":"${LONG}"}`;
  expect(Object.keys(valueIn(text) as object)).toEqual(['__proto__', 'constructor', 'b']);
  expect(({} as { a?: string }).a).toBeUndefined();
});

/** Values whose texts are short, or longer than is parsed at a time. */
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom<unknown>(0, -1.5e3, null, true, '', 'é', '"[{,:') },
    { weight: 1, arbitrary: fc.constant(LONG) },
    { weight: 2, arbitrary: fc.array(tie('any'), { maxLength: 5 }) },
    {
      weight: 2,
      arbitrary: fc.dictionary(fc.constantFrom('a', 'b', '', '1', '__proto__', '\\'), tie('any')),
    },
  ),
})).any;

it('any JSON is read as by JSON.parse', () => {
  fc.assert(
    fc.property(value, fc.constantFrom(0, 1), (json, indent) => {
      const text = JSON.stringify(json, null, indent);
      expect(valueIn(text)).toEqual(JSON.parse(text));
    }),
    { numRuns: 300 },
  );
});

it('a long text that is spoiled at one place is refused, or read as by JSON.parse', () => {
  const spoil = fc.constantFrom('', ',', '[', ']', '{', '}', '"', ':', '1', ' ', 'x', '\\', ',,');
  fc.assert(
    fc.property(
      fc.array(value, { minLength: 1, maxLength: 4 }),
      fc.nat(),
      fc.nat(2),
      spoil,
      (json, at, cut, put) => {
        const text = JSON.stringify([...json, LONG, json]);
        const place = at % (text.length + 1);
        const spoiled = text.slice(0, place) + put + text.slice(place + cut);
        let expected: unknown;
        try {
          expected = JSON.parse(spoiled);
        } catch {
          expect(refusal(spoiled)).toMatchObject({ status: 400, errors: [{ pointer: '#' }] });
          return;
        }
        expect(valueIn(spoiled)).toEqual(expected);
      },
    ),
    { numRuns: 1_000 },
  );
});

it.each<[string, string]>([
  ['two values', `["${LONG}"] ["${LONG}"]`],
  ['a comma at the end', `["${LONG}",${'1,'.repeat(40_000)}]`],
  ['no comma behind a member', `[["${LONG}"] ["${LONG}"]]`],
  ['nothing before a comma', `[["${LONG}"],,["${LONG}"]]`],
  ['white space for a member', `[${' '.repeat(70_000)},1]`],
  ['no name', `{["${LONG}"]}`],
  ['a number before a list', `[1["${LONG}"]]`],
  ['a number before an object', `[{"a":-{"b":"${LONG}"}}]`],
  ['a text before it', `x["${LONG}",${'1,'.repeat(40_000)}1]`],
  ['no end', `[["${LONG}"],["${LONG}"]`],
  ['texts without commas', `[${'"a" '.repeat(2_000_000)}]`],
  ['colons', `{"${'a'.repeat(900_000)}"${':'.repeat(2_000_000)}`],
])('a long text with %s is refused', (_what, text) => {
  expect(() => JSON.parse(text) as unknown).toThrow();
  expect(refusal(text).status).toBe(400);
});

it('depth, values, names and lengths have bounds', () => {
  const deepest = '['.repeat(JSON_DEPTH_MAX) + ']'.repeat(JSON_DEPTH_MAX);
  expect(Array.isArray(valueIn(deepest))).toBe(true);
  expect(refusal('['.repeat(100_000) + ']'.repeat(100_000))).toMatchObject({
    status: 400,
    detail: expect.stringContaining('64 deep'),
  });
  expect(refusal(`[${'[],'.repeat(JSON_VALUES_MAX / 2)}[]]`)).toMatchObject({ status: 413 });
  const names = (count: number): string =>
    `[${Array.from({ length: count }, (_, n) => `{"n${n}":1,"same":2}`).join()}]`;
  expect(valueIn(names(JSON_NAMES_MAX - 1))).toHaveLength(JSON_NAMES_MAX - 1);
  expect(refusal(names(JSON_NAMES_MAX))).toMatchObject({ status: 413 });
  expect(valueIn(`["${'a'.repeat(JSON_TOKEN_BYTES_MAX)}"]`)).toHaveLength(1);
  for (const long of [
    `["${'a'.repeat(JSON_TOKEN_BYTES_MAX + 1)}"]`,
    `[${'1'.repeat(JSON_TOKEN_BYTES_MAX * 2)}]`,
  ])
    expect(refusal(long)).toMatchObject({ status: 413 });
});

it('bytes that are no UTF-8 are refused', () => {
  expect(refusal(Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d])).detail).toBe('The body is not valid UTF-8.');
});
