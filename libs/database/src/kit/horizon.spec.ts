import fc from 'fast-check';
import { until } from './horizon';

const at = (time: string) => new Date(`2026-01-01T00:00:${time}Z`);
const second = (time: string) => at(time).getTime() / 1000;

describe('until', () => {
  it.each([
    [
      'just above the last row when the horizon is beyond',
      second('05.000'),
      '05.250',
      second('09.000'),
      second('06.000'),
    ],
    ['a second above a row at a full second', second('05.000'), '05.000', second('09.000'), second('06.000')],
    [
      'the horizon when the last row is too new',
      second('05.000'),
      '08.500',
      second('08.000'),
      second('08.000'),
    ],
    [
      'what was asked, cut to a second, when the horizon lies before',
      second('05.700'),
      '05.900',
      second('03.000'),
      second('05.000'),
    ],
  ])('the time to ask from next is %s', (_, since, last, horizon, expected) => {
    expect(until(since, at(last), horizon)).toBe(expected);
  });

  it('the time to ask from next is what was asked, cut to a second, when there is no row', () => {
    expect(until(12.9, null, 1000)).toBe(12);
  });

  const times = {
    since: fc.double({ min: 0, max: 100, noNaN: true }),
    ahead: fc.integer({ min: 0, max: 50_000 }),
  };

  it('the time to ask from next is whole, not below since, and otherwise neither above the horizon nor more than a second above the last row', () => {
    fc.assert(
      fc.property(
        times.since,
        times.ahead,
        fc.integer({ min: 0, max: 150 }),
        (since, ahead, horizonSecond) => {
          const last = new Date(Math.ceil(since * 1000) + ahead);
          const answer = until(since, last, horizonSecond);
          expect(Number.isInteger(answer)).toBe(true);
          expect(answer).toBeGreaterThanOrEqual(Math.floor(since));
          expect(answer).toBeLessThanOrEqual(Math.max(Math.floor(since), horizonSecond));
          expect(answer).toBeLessThanOrEqual(last.getTime() / 1000 + 1);
        },
      ),
    );
  });

  it('an idle reader comes to rest: asked with its own answer, it stays', () => {
    fc.assert(
      fc.property(times.since, times.ahead, (since, ahead) => {
        const last = new Date(Math.ceil(since * 1000) + ahead);
        const rested = until(since, last, Number.MAX_SAFE_INTEGER);
        expect(rested * 1000).toBeGreaterThan(last.getTime());
        expect(until(rested, null, Number.MAX_SAFE_INTEGER)).toBe(rested);
      }),
    );
  });
});
