import fc from 'fast-check';
import { type Answer, ATTEMPTS_MAX, kindOf, mustDisable, pauseMs, retryAfterOf, retryMs } from '.';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const failure: Answer = { status: 500, retryAfterMs: null };

it.each([
  [1, 5],
  [2, 300],
  [3, 1_800],
  [4, 7_200],
  [5, 18_000],
  [6, 36_000],
  [7, 50_400],
  [8, 72_000],
  [9, 86_400],
])('after attempt %d a delivery waits %d seconds, or up to a fifth longer', (attempts, seconds) => {
  expect(retryMs(attempts, failure, 0)).toBe(seconds * SECOND);
  expect(retryMs(attempts, failure, 1)).toBe(1.2 * seconds * SECOND);
});

it('after the tenth attempt a delivery is given up, whatever the answer asks for', () => {
  expect(ATTEMPTS_MAX).toBe(10);
  expect(retryMs(10, { status: 503, retryAfterMs: 5 }, 0)).toBeNull();
});

it('a delivery waits as long as the answer asks for, and never less than its turn', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 0, max: 24 * HOUR }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (attempts, retryAfterMs, random) => {
        const waits = retryMs(attempts, { status: 503, retryAfterMs }, random)!;
        expect(waits).toBeGreaterThanOrEqual(retryAfterMs);
        expect(waits).toBeGreaterThanOrEqual(retryMs(attempts, failure, 0)!);
      },
    ),
  );
});

it.each<[number | null, string]>([
  [200, 'delivered'],
  [204, 'delivered'],
  [299, 'delivered'],
  [199, 'failed'],
  [301, 'failed'],
  [404, 'failed'],
  [410, 'gone'],
  [503, 'failed'],
  [null, 'failed'],
])('an answer %s means %s', (status, kind) => {
  expect(kindOf({ status, retryAfterMs: null })).toBe(kind);
});

it('a webhook that fails again and again is left alone for longer, five minutes at most unless it asks for more', () => {
  const pauses = [1, 2, 3, 4, 5, 6, 7, 8, 50].map((failures) => pauseMs(failures, failure) / SECOND);
  expect(pauses).toEqual([5, 10, 20, 40, 80, 160, 300, 300, 300]);
  expect(pauseMs(1, { status: 429, retryAfterMs: HOUR })).toBe(HOUR);
});

it('a webhook is disabled after five days of failures', () => {
  expect([mustDisable(120 * HOUR - 1), mustDisable(120 * HOUR)]).toEqual([false, true]);
});

it.each([
  [undefined, null],
  ['120', 120 * SECOND],
  ['Thu, 01 Jan 1970 00:01:00 GMT', 50 * SECOND],
  ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
  ['999999999', 24 * HOUR],
  ['soon', null],
  ['-5', null],
])('Retry-After %j is read as %s milliseconds', (header, ms) => {
  expect(retryAfterOf(header, 10 * SECOND)).toBe(ms);
});
