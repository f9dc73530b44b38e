import { growingPauseMs } from './growing-pause';

it('a growing pause doubles with each failure in a row, up to its maximum, however many there are', () => {
  const pauses = [1, 2, 3, 4, 5, 5_000].map((inARow) => growingPauseMs(2_000, 15_000, inARow));
  expect(pauses).toEqual([2_000, 4_000, 8_000, 15_000, 15_000, 15_000]);
});
