import fc from 'fast-check';
import { refusalOf } from '@test/support/refusal';
import { Problem } from './problem';
import { json, SHORT_JSON_LENGTH_MAX, urlEncodedFields, utf8 } from './text';

describe('urlEncodedFields', () => {
  it.each<[string, [string, string][]]>([
    ['', []],
    ['a', [['a', '']]],
    ['a=', [['a', '']]],
    [
      'a=1&&b=2&',
      [
        ['a', '1'],
        ['b', '2'],
      ],
    ],
    ['a=1=2', [['a', '1=2']]],
    ['a+b=c+d', [['a b', 'c d']]],
    ['t=%2B%26%3D%E2%82%AC', [['t', '+&=€']]],
    [
      'a=1&a=2',
      [
        ['a', '1'],
        ['a', '2'],
      ],
    ],
    ['a[]=1', [['a[]', '1']]],
    ['x=%00', [['x', '\0']]],
  ])('the form %j is read', (text, fields) => {
    expect(urlEncodedFields(text)).toEqual(fields);
  });

  it('a form with more fields than any request has is refused', () => {
    const fields = (count: number): string =>
      Array.from({ length: count }, (_none, index) => `a${index}`).join('&');
    expect(urlEncodedFields(fields(100))).toHaveLength(100);
    expect(() => urlEncodedFields(fields(101))).toThrow(/more than 100 parameters/);
  });

  it.each(['a=100%', 'a=%zz', 'a=%ff', '%c3%28=1'])('the form %j is refused', (text) => {
    expect(() => urlEncodedFields(text)).toThrow(Problem);
  });

  it('a form that URLSearchParams writes is read back', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }))),
        (fields) => {
          // A field without name and value leaves no trace.
          const filledFields = fields.filter(([name, value]) => name !== '' || value !== '');
          expect(urlEncodedFields(new URLSearchParams(filledFields).toString())).toEqual(filledFields);
        },
      ),
    );
  });

  it('a form never fails with anything but a Problem', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('%', '=', '&', '+', 'a', 'f', '8', 'é', '\0') }),
        (text) => {
          try {
            urlEncodedFields(text);
          } catch (error) {
            expect(error).toBeInstanceOf(Problem);
          }
        },
      ),
    );
  });
});

describe('utf8', () => {
  it('a byte order mark is dropped', () => {
    expect(utf8(Buffer.from('\ufeff[]'), 'The body')).toBe('[]');
  });

  it.each([[[0xff]], [[0xc3, 0x28]], [[0xed, 0xa0, 0x80]], [[0xe2, 0x82]]])(
    'the bytes %j are refused',
    (bytes) => {
      expect(() => utf8(Buffer.from(bytes), 'The body')).toThrow('The body is not valid UTF-8.');
    },
  );
});

describe('json', () => {
  it('a refusal of JSON says where the text is and what is wrong with it', () => {
    const problem = refusalOf(() => json('{"a": ', 'tests', '#/tests'));
    expect(problem.status).toBe(400);
    expect(problem.errors).toEqual([{ pointer: '#/tests', detail: problem.detail }]);
    expect(problem.detail).toMatch(/^tests is not valid JSON: /);
  });

  it('JSON that nests too deep to be walked is refused', () => {
    expect(Array.isArray(json('['.repeat(64) + ']'.repeat(64), 'tests', null))).toBe(true);
    const problem = refusalOf(() => json('['.repeat(100_000) + ']'.repeat(100_000), 'tests', '#/tests'));
    expect(problem).toMatchObject({ status: 400, errors: [{ pointer: '#/tests' }] });
  });

  it('a text that is too long to be read at once is refused', () => {
    expect(json(`"${'x'.repeat(SHORT_JSON_LENGTH_MAX - 2)}"`, 'tests', null)).toHaveLength(262_142);
    expect(refusalOf(() => json(`"${'x'.repeat(SHORT_JSON_LENGTH_MAX - 1)}"`, 'tests', null)).status).toBe(
      413,
    );
  });
});
