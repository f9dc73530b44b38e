import { isWord } from '@proctor/contracts';
import { refusalOf } from '@test/support/refusal';
import {
  fromQuery,
  idOf,
  validName,
  oneOf,
  pattern,
  type ReadValue,
  someOf,
  text,
  unlessEmpty,
  wholeNumber,
  WILDCARDS_MAX,
} from './parameter-values';

const suite = validName('the name of a suite', isWord);
const WORDS = ['yes', 'no', 'perhaps'] as const;

it.each<[string, ReadValue<unknown>, unknown, unknown]>([
  ['a name', suite, 'sid', 'sid'],
  ['a text as long as it may be', text(3), 'abc', 'abc'],
  ['a pattern', pattern(100), '*a'.repeat(WILDCARDS_MAX), '*a'.repeat(WILDCARDS_MAX)],
  ['a word', oneOf(WORDS), 'no', 'no'],
  ['a number among words', oneOf([30, 90]), '90', 90],
  ['words in their own order', someOf(WORDS), 'perhaps,yes', ['yes', 'perhaps']],
  ['words of a JSON array', someOf(WORDS), ['no'], ['no']],
  ['a number of a text', wholeNumber(0, 9), '0', 0],
  ['a number of JSON', wholeNumber(1, 9), 9, 9],
  ['an id', idOf('a run'), '12', 12],
  ['an empty field', unlessEmpty(suite), '', undefined],
])('%s is read', (_what, readValue, value, expected) => {
  expect(readValue({ value, isText: false, pointer: null }, 'field')).toEqual(expected);
});

it.each<[ReadValue<unknown>, unknown, string]>([
  [suite, 'a b', 'field must be the name of a suite, not "a b".'],
  [suite, ['sid', 'sid'], 'field must be the name of a suite, not an array.'],
  [validName('a trigger', () => true), '\ud800', 'field must be a trigger, not '],
  [validName('a trigger', () => true), 'a\0', 'field must be a trigger, not '],
  [text(3), ['a', 'b'], 'field must be one text, not an array.'],
  [text(3), 'abcd', 'field must be a text of at most 3 characters, not "abcd".'],
  [pattern(100), '*'.repeat(WILDCARDS_MAX + 1), 'field may have * at most 10 times, not 11 times.'],
  [pattern(3), 'abcd', 'field must be a text of at most 3 characters, not "abcd".'],
  [oneOf(WORDS), 'never', 'field must be one of yes, no, perhaps, not "never".'],
  [someOf(WORDS), 'yes,never', 'field must be of yes, no, perhaps, not "yes,never".'],
  [someOf(WORDS), [], 'field must be of yes, no, perhaps, not an array.'],
  [wholeNumber(1, 9), '10', 'field must be a whole number from 1 to 9, not "10".'],
  [wholeNumber(1, 9), '1.0', 'field must be a whole number from 1 to 9, not "1.0".'],
  [wholeNumber(1, 9), '09', 'field must be a whole number from 1 to 9, not "09".'],
  [wholeNumber(1, 9), 1.5, 'field must be a whole number from 1 to 9, not 1.5.'],
  [idOf('a note'), [12], 'field must be the id of a note, not an array.'],
  [idOf('a note'), '9007199254740993', 'field must be the id of a note, not "9007199254740993".'],
])('a value is refused with its name and itself (%#)', (readValue, value, detail) => {
  const refusal = refusalOf(() => readValue({ value, isText: false, pointer: '#/field' }, 'field'));
  expect(refusal).toMatchObject({ status: 400, errors: [{ pointer: '#/field' }] });
  expect(refusal.detail).toContain(detail);
});

it('what a query leaves out or a form leaves empty is not read', () => {
  expect([fromQuery('suite', undefined, suite), fromQuery('suite', '', suite)]).toEqual([null, null]);
  expect(fromQuery('suite', 'sid', suite)).toBe('sid');
});
