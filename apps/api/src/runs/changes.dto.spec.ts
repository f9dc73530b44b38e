import { apiConfiguration } from '@test/support/api-configuration';
import { refusalOf } from '@test/support/refusal';
import { jsonParameters, textParameters } from '../http/parameters';
import { shapeOf } from '../http/parameters.pipe';
import type { Parameters } from '../http/parameters';
import { PublicationRequest } from './changes.dto';

const form = (text: string) => textParameters([['run_ids', text]], () => '#/run_ids');
const json = (value: unknown) => jsonParameters({ run_ids: value });
const idsIn = (parameters: Parameters, itemsPerRequestMax = 10): number[] =>
  shapeOf(PublicationRequest, parameters, apiConfiguration({ itemsPerRequestMax }).server).run_ids;

it.each<[string, number[]]>([
  ['', []],
  [' ', []],
  ['7', [7]],
  ['1,2,3', [1, 2, 3]],
  [' 1 , 2 ', [1, 2]],
  ['2,1,2', [2, 1]],
  ['0,-5,9007199254740991', [0, -5, 9_007_199_254_740_991]],
])('the list %j of run ids is read', (text, ids) => {
  expect(idsIn(form(text))).toEqual(ids);
  expect(idsIn(json(text))).toEqual(ids);
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
])('the list %j of run ids is refused', (text) => {
  const problem = refusalOf(() => idsIn(form(text)));
  expect(problem.status).toBe(400);
  expect(problem.errors[0]?.pointer).toBe('#/run_ids');
});

it.each([null, 5, [5], ['5'], {}, true])('the JSON value %j is refused as a list of run ids', (value) => {
  expect(refusalOf(() => idsIn(json(value))).detail).toMatch(/must be a string/);
});

it('no run id at all is refused, and so are too many', () => {
  expect(refusalOf(() => idsIn(new Map())).detail).toMatch(/missing/);
  expect(refusalOf(() => idsIn(form('1,2,3'), 2)).status).toBe(413);
});
