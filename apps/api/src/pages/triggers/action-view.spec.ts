import { timeOf } from './action-view';

it.each([
  [0, 0, 'nothing'],
  [0, 2, '2 runs of unknown length'],
  [61, 0, 'about\u00a02\u00a0min'],
  [3_600, 1, 'about\u00a01\u00a0h, and 1 run of unknown length'],
  [43_000, 0, 'about\u00a011\u00a0h\u00a057\u00a0min'],
])('test time of %i seconds and %i runs of unknown length is written as: %s', (seconds, unknown, words) => {
  expect(timeOf({ seconds, unknown })).toBe(words);
});
