import fc from 'fast-check';
import { duration, timestamp } from './timestamp';

it('a time has three digits of milliseconds and a Z, always', () => {
  expect(timestamp(new Date(1_700_000_000_000))).toBe('2023-11-14T22:13:20.000Z');
  fc.assert(
    fc.property(
      fc.date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true }),
      (time) => {
        expect(timestamp(time)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      },
    ),
  );
});

it.each([
  [0, '0h 0m 0s'],
  [30, '0h 0m 30s'],
  [3_725, '1h 2m 5s'],
  [360_000, '100h 0m 0s'],
])('%d seconds read %s', (seconds, text) => {
  expect(duration(seconds)).toBe(text);
});
