import { type ListAsked, ListPipe } from './list-asked';
import { listSentence, type StatusList, totalOf } from './list';

const nouns = (): [string, string] => ['run that waits', 'runs that wait'];
const list = { nouns, order: 'by priority' };
const asked = (query: Record<string, string> = {}): ListAsked => new ListPipe().transform(query);
const part = (rows: number, hasMore: boolean) => ({ rows: new Array<number>(rows).fill(0), hasMore });

it.each([
  [part(0, false), {}, 0, 'There is no run that waits.'],
  [part(1, false), {}, 1, '1 run that waits.'],
  [part(7, false), {}, 7, '7 runs that wait, by priority.'],
  [part(100, true), {}, 4_120, 'The first 100 of 4,120 runs that wait, by priority.'],
  [part(100, true), {}, null, 'The first 100 runs that wait, by priority.'],
  [part(100, true), {}, 100, 'The first 100 runs that wait, by priority.'],
  [part(100, true), { suite: 'sid', after: 'x' }, 4_120, 'Further 100 of 4,120 runs that wait (suite sid).'],
  [part(1, false), { after: 'x' }, 101, 'Further 1 of 101 runs that wait.'],
  [part(1, false), { after: 'x' }, null, 'Further 1 run that waits.'],
  [part(0, false), { after: 'x' }, 100, 'There is no further run that waits.'],
])('the sentence of %j asked for with %j, of %s in all, is: %s', (rows, query, total, sentence) => {
  expect(listSentence(list, asked(query), rows, total)).toBe(sentence);
});

it('entries are counted when a part is not all of them, where that is cheap', async () => {
  const count = jest.fn(() => Promise.resolve(4_120));
  const of = (counts: Partial<StatusList<number>>) => ({ ...list, ...counts }) as StatusList<number>;
  expect(await totalOf(of({ count }), asked(), part(7, false))).toBe(7);
  expect(count).not.toHaveBeenCalled();
  expect(await totalOf(of({ count }), asked(), part(100, true))).toBe(4_120);
  expect(await totalOf(of({ count }), asked({ after: 'x' }), part(1, false))).toBe(4_120);
  expect(await totalOf(of({}), asked(), part(100, true))).toBeNull();
});
