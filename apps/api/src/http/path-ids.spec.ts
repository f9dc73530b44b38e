import { refusalOf } from '@test/support/refusal';
import { RUN_IN_PATH, wordInPath } from '../http/path-ids';

it.each([
  ['1', 1],
  ['2147483648', 2_147_483_648],
  ['9007199254740991', 9_007_199_254_740_991],
])('the run id %s is read', (text, id) => {
  expect(RUN_IN_PATH.transform(text)).toBe(id);
});

it.each([
  '0',
  '-1',
  '01',
  '1.0',
  '1e3',
  'abc',
  '1abc',
  '',
  ' 1',
  '9007199254740992',
  '99999999999999999999',
  '１',
  '1\n',
])('there is no run %j', (text) => {
  expect(refusalOf(() => RUN_IN_PATH.transform(text)).status).toBe(404);
});

it('a word of a path is one of those that it may be', () => {
  const change = wordInPath(['enable', 'disable'], (text) => `Not ${text}.`);
  expect(change.transform('disable')).toBe('disable');
  expect(refusalOf(() => change.transform('toString'))).toMatchObject({
    status: 404,
    detail: 'Not "toString".',
  });
});
