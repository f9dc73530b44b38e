import { timeOf } from './action-view';

it.each([
  [0, 0, 'nothing'],
  [0, 2, '2 runs of unknown length'],
  [61, 0, 'about 2 minutes'],
  [3_600, 1, 'about 1 hour, and 1 run of unknown length'],
  [43_000, 0, 'about 12 hours'],
])('test time of %i seconds and %i runs of unknown length is written as: %s', (seconds, unknown, words) => {
  expect(timeOf({ seconds, unknown })).toBe(words);
});
