import { rangeOf, extendRange } from './log-range';

it.each([
  ['#L12', { first: 12, last: 12 }],
  ['#L12-L20', { first: 12, last: 20 }],
  ['#L20-L12', { first: 12, last: 20 }],
  ['', null],
  ['#L', null],
  ['#L1-L', null],
  ['#part-3', null],
])('%s names the lines %j', (hash, range) => {
  expect(rangeOf(hash)).toEqual(range);
});

it.each([
  ['', 5, '#L5'],
  ['#L5', 9, '#L5-L9'],
  ['#L9', 5, '#L5-L9'],
  ['#L5-L9', 12, '#L5-L12'],
  ['#L5-L9', 7, '#L5-L7'],
  ['#L5-L9', 2, '#L2-L9'],
  ['#L5-L9', 5, '#L5'],
])('with %s chosen, a click on line %i makes it %s', (before, line, after) => {
  expect(extendRange(before, line)).toBe(after);
});
