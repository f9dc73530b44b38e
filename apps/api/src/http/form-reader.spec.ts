import fc from 'fast-check';
import { refusalOf } from '@test/support/refusal';
import { readForm } from './form-reader';
import { atOnce } from './slices';
import { FIELDS_MAX, urlEncodedFields } from './text';

const fieldsIn = (form: string | Buffer): [string, string][] =>
  atOnce(readForm(Buffer.from(form))).map(([name, value]) => [name, value.toString()]);

it('a form that URLSearchParams writes is read back', () => {
  const text = fc.string({ unit: 'grapheme' });
  fc.assert(
    fc.property(fc.array(fc.tuple(text, text)), (fields) => {
      const filledFields = fields.filter(([name, value]) => name !== '' || value !== '');
      expect(fieldsIn(new URLSearchParams(filledFields).toString())).toEqual(filledFields);
    }),
  );
});

it('a body is read as a query of the same text is, or both are refused', () => {
  const unit = fc.constantFrom('%', '%4', '%c3%a9', '=', '&', '+', 'a', 'f', '8', 'é', '\0');
  const orStatus = (action: () => unknown): unknown => {
    try {
      return action();
    } catch (error) {
      return (error as { status: number }).status;
    }
  };
  fc.assert(
    fc.property(fc.string({ unit }), (form) => {
      expect(orStatus(() => fieldsIn(form))).toEqual(orStatus(() => urlEncodedFields(form)));
    }),
    { numRuns: 1_000 },
  );
});

it('fields have bounds, empty ones too, before they are kept', () => {
  expect(fieldsIn(`${'&'.repeat(900)}a=1`)).toEqual([['a', '1']]);
  expect(fieldsIn(`${'a'.repeat(1_000)}=1`)).toHaveLength(1);
  expect(refusalOf(() => fieldsIn(`${'a[b]'.repeat(4_000_000)}=1`)).status).toBe(400);
  expect(refusalOf(() => fieldsIn('&'.repeat(5_000_000))).status).toBe(400);
  expect(fieldsIn('a&'.repeat(FIELDS_MAX))).toHaveLength(FIELDS_MAX);
  expect(refusalOf(() => fieldsIn('a&'.repeat(5_000_000))).status).toBe(400);
});
