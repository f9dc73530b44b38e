import { loadPart } from './parts';

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
