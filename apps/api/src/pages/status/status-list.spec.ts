import { type ListQuery, LIST_QUERY } from './list-query';
import { listSentence, type StatusList, totalOf } from './status-list';

const nouns = (): [string, string] => ['run that waits', 'runs that wait'];
const list = { nouns, order: 'by priority' };
const listQuery = (query: Record<string, string> = {}): ListQuery => LIST_QUERY.transform(query);
const all = (count: number) => ({ count, isMore: false });
const part = (rows: number, hasMore: boolean) => ({
  rows: new Array<number>(rows).fill(0),
  last: hasMore ? 'x' : null,
});

it.each([
  [part(0, false), {}, all(0), 'There is no run that waits.'],
  [part(1, false), {}, all(1), '1 run that waits.'],
  [part(7, false), {}, all(7), '7 runs that wait, by priority.'],
  [part(100, true), {}, all(4_120), 'The first 100 of 4,120 runs that wait, by priority.'],
  [
    part(100, true),
    {},
    { count: 10_000, isMore: true },
    'The first 100 of at least 10,000 runs that wait, by priority.',
  ],
  [part(100, true), {}, all(100), 'The first 100 runs that wait, by priority.'],
  [
    part(100, true),
    { suite: 'sid', after: 'x' },
    all(4_120),
    'Further 100 of 4,120 runs that wait (suite sid).',
  ],
  [part(1, false), { after: 'x' }, all(101), 'Further 1 of 101 runs that wait.'],
  [part(1, false), { after: 'x' }, all(1), 'Further 1 run that waits.'],
  [part(0, false), { after: 'x' }, all(100), 'There are no further runs that wait.'],
])('the sentence of %j asked for with %j, of %j in all, is: %s', (rows, query, total, sentence) => {
  expect(listSentence(list, listQuery(query), rows, total)).toBe(sentence);
});

it('entries are counted when a part is not all of them', async () => {
  const count = jest.fn(() => Promise.resolve(all(4_120)));
  const counted = { ...list, count } as unknown as StatusList<number>;
  expect(await totalOf(counted, listQuery(), part(7, false))).toEqual(all(7));
  expect(count).not.toHaveBeenCalled();
  expect(await totalOf(counted, listQuery(), part(100, true))).toEqual(all(4_120));
  expect(await totalOf(counted, listQuery({ after: 'x' }), part(1, false))).toEqual(all(4_120));
});
