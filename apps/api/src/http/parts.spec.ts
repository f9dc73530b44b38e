import { refusalOf } from '@test/support/refusal';
import { asParameter } from './parameters';
import { cursor, loadPart } from './parts';

const readFrom =
  (rows: string[]) =>
  (limit: number): Promise<string[]> =>
    Promise.resolve(rows.slice(0, limit));
const lengthOf = (row: string): number => row.length;

it('a part of a list has the key of its last row when the list goes on', async () => {
  expect(await loadPart(2, readFrom(['a', 'bb', 'ccc']), lengthOf)).toEqual({ rows: ['a', 'bb'], last: 2 });
});

it('the last part of a list has no key, also when it is full or empty', async () => {
  expect(await loadPart(2, readFrom(['a', 'bb']), lengthOf)).toEqual({ rows: ['a', 'bb'], last: null });
  expect(await loadPart(2, readFrom([]), lengthOf)).toEqual({ rows: [], last: null });
});

const wholeNumber = (text: string) => (/^\d+$/.test(text) ? Number(text) : null);
const positions = cursor<{ at: Date; name: string; id: number }>('a position', {
  at: (text) => (Number.isNaN(Date.parse(text)) ? null : new Date(text)),
  name: (text) => text || null,
  id: wholeNumber,
});

it('a position in a list is read as it was written, and further fields of a row are not in it', () => {
  const row = { id: 7, extra: true, name: 'libx', at: new Date('2026-11-01T10:00:00.000Z') };
  const text = positions.encode(row);
  expect(text).toBe('2026-11-01T10:00:00.000Z/libx/7');
  expect(positions.decode(asParameter(text), 'after')).toEqual({ at: row.at, name: 'libx', id: 7 });
});

it.each([[''], ['x'], ['2026-11-01/libx'], ['2026-11-01/libx/7/'], ['soon/libx/7'], [['a', 'b']]])(
  'what is no position in a list is refused with field and value: %j',
  (value) => {
    const error = refusalOf(() => positions.decode(asParameter(value), 'after'));
    const description = Array.isArray(value) ? 'an array' : `"${value}"`;
    expect(error).toMatchObject({ status: 400, detail: `after must be a position, not ${description}.` });
  },
);
