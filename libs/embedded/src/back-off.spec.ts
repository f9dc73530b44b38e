import fc from 'fast-check';
import { BackOff } from './back-off';

it('a back-off doubles from one second to thirty', () => {
  const backOff = new BackOff();
  const delays = [0, 0, 0, 0, 0, 0, 0].map((ranMs) => backOff.delayAfter(ranMs));
  expect(delays).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
});

it('a back-off begins again after a stable minute, and not before', () => {
  const backOff = new BackOff();
  expect([0, 0, 59_999, 60_000, 0].map((ranMs) => backOff.delayAfter(ranMs))).toEqual([
    1_000, 2_000, 4_000, 1_000, 2_000,
  ]);
});

it('a back-off never waits less than a second or more than thirty', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(120_000)), (runs) => {
      const backOff = new BackOff();
      for (const ranMs of runs) {
        const delayMs = backOff.delayAfter(ranMs);
        expect(delayMs).toBeGreaterThanOrEqual(1_000);
        expect(delayMs).toBeLessThanOrEqual(30_000);
      }
    }),
  );
});
