import { refusalOf } from '../../../../test/support/refusal';
import { jsonParameters, textParameters } from '../transport/parameters';
import { runIdsOf } from './run-ids';

const form = (text: string) => textParameters([['run_ids', text]], () => '#/run_ids').get('run_ids');
const json = (value: unknown) => jsonParameters({ run_ids: value }).get('run_ids');

it.each<[string, number[]]>([
  ['', []],
  [' ', []],
  ['7', [7]],
  ['1,2,3', [1, 2, 3]],
  [' 1 , 2 ', [1, 2]],
  ['2,1,2', [2, 1]],
  ['0,-5,9007199254740991', [0, -5, 9_007_199_254_740_991]],
])('reads %j', (text, ids) => {
  expect(runIdsOf(form(text), 10)).toEqual(ids);
  expect(runIdsOf(json(text), 10)).toEqual(ids);
});

it.each([
  'a',
  '1,',
  ',1',
  '1,,2',
  '1.0',
  '1e3',
  '0x1',
  '1 2',
  '1;2',
  '１',
  '1\0',
  '9007199254740992',
  '1'.repeat(400),
])('refuses %j', (text) => {
  const problem = refusalOf(() => runIdsOf(form(text), 10));
  expect(problem.status).toBe(400);
  expect(problem.errors[0]?.pointer).toBe('#/run_ids');
});

it.each([null, 5, [5], ['5'], {}, true])('refuses the JSON value %j', (value) => {
  expect(refusalOf(() => runIdsOf(json(value), 10)).detail).toMatch(/must be a string/);
});

it('refuses nothing at all, and too many', () => {
  expect(refusalOf(() => runIdsOf(undefined, 10)).detail).toMatch(/missing/);
  expect(refusalOf(() => runIdsOf(form('1,2,3'), 2)).status).toBe(413);
});
