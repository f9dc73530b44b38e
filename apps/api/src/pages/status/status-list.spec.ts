import { type ListQuery, LIST_QUERY } from './list-query';
import { listSentence, type StatusList, totalOf } from './status-list';

const nouns = (): [string, string] => ['waiting run', 'waiting runs'];
const list = { nouns, order: 'by priority' };
const listQuery = (query: Record<string, string> = {}): ListQuery => LIST_QUERY.transform(query);
const all = (count: number) => ({ count, isMore: false });
const part = (rows: number, hasMore: boolean) => ({
  rows: new Array<number>(rows).fill(0),
  last: hasMore ? 'x' : null,
});

it.each([
  [part(0, false), {}, all(0), 'There are no waiting runs.'],
  [part(1, false), {}, all(1), '1 waiting run.'],
  [part(7, false), {}, all(7), '7 waiting runs, by priority.'],
  [part(100, true), {}, all(4_120), '4,120 waiting runs, by priority (100 shown).'],
  [
    part(100, true),
    {},
    { count: 10_000, isMore: true },
    'At least 10,000 waiting runs, by priority (100 shown).',
  ],
  [part(100, true), {}, all(100), 'The first 100 waiting runs, by priority.'],
  [part(100, true), { suite: 'sid', after: 'x' }, all(4_120), '100 more of 4,120 waiting runs (suite sid).'],
  [part(1, false), { after: 'x' }, all(101), '1 more of 101 waiting runs.'],
  [part(1, false), { after: 'x' }, all(1), '1 more waiting run.'],
  [part(0, false), { after: 'x' }, all(100), 'There are no further waiting runs.'],
])('the sentence of %j asked for with %j, of %j in all, is: %s', (rows, query, total, sentence) => {
  expect(listSentence(list, listQuery(query), rows, total)).toBe(sentence);
});

it('entries are counted when a part is not all of them', async () => {
  const count = jest.fn(() => Promise.resolve(all(4_120)));
  const listWithCount = { ...list, count } as unknown as StatusList<number>;
  expect(await totalOf(listWithCount, listQuery(), part(7, false))).toEqual(all(7));
  expect(count).not.toHaveBeenCalled();
  expect(await totalOf(listWithCount, listQuery(), part(100, true))).toEqual(all(4_120));
  expect(await totalOf(listWithCount, listQuery({ after: 'x' }), part(1, false))).toEqual(all(4_120));
});
