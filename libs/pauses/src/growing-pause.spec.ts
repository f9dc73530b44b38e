import { growingPauseMs, scatterPause } from './growing-pause';

it('a growing pause doubles with each failure in a row, up to its maximum, however many there are', () => {
  const pauses = [-2, 0, 1, 2, 3, 4, 5, 5_000].map((inARow) => growingPauseMs(2_000, 15_000, inARow));
  expect(pauses).toEqual([2_000, 2_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000]);
});

it('a scattered pause is up to a fifth shorter or longer', () => {
  const pauses = [0, 0.5, 0.75].map((random) => scatterPause(1_000, random));
  expect(pauses).toEqual([800, 1_000, 1_100]);
});
