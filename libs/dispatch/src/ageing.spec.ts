import * as fc from 'fast-check';
import { waitingRun } from '@test/support/runs';
import { Ageing } from './ageing';

const HOUR = 3_600_000;

it.each([
  // waited hours before the dispatcher began, hours since, level of a run of priority 5
  [0, 0, 5],
  [0, 5.9, 5],
  [0, 6, 6],
  [5, 1, 6],
  [11, 0, 6],
  [12, 0, 7],
  [400, 400, 7],
])('after %d + %d hours of waiting the level of a run is %d', (before, since, level) => {
  const ageing = new Ageing(1_000, () => ({ stepMs: 6 * HOUR, stepsMax: 2 }));
  const run = waitingRun(1, { waitedMs: before * HOUR });
  ageing.rebase(run, 1_000);
  expect(ageing.levelOf(run, 1_000 + since * HOUR)).toBe(level);
});

it('ageing counts from the moment when a run that arrived later was read', () => {
  const ageing = new Ageing(0, () => ({ stepMs: 100, stepsMax: 9 }));
  const run = waitingRun(1, { waitedMs: 150 });
  ageing.rebase(run, 1_000);
  expect([1_000, 1_049, 1_050, 1_850].map((now) => ageing.levelOf(run, now))).toEqual([6, 6, 7, 14]);
});

it('ageing can be switched off', () => {
  const ageing = new Ageing(0, () => ({ stepMs: 1, stepsMax: 0 }));
  expect(ageing.levelOf(waitingRun(1, { waitedMs: 1e12 }), 1e12)).toBe(5);
});

it('ageing never lowers a level, nor passes the most that the priority allows', () => {
  const times = fc.array(fc.nat(1_000_000), { minLength: 2, maxLength: 20 });
  fc.assert(
    fc.property(times, fc.nat(9), fc.integer({ min: 1, max: 100_000 }), (nows, stepsMax, stepMs) => {
      const ageing = new Ageing(0, () => ({ stepMs, stepsMax }));
      const run = waitingRun(1);
      const levels = nows.sort((a, b) => a - b).map((now) => ageing.levelOf(run, now));
      expect(levels).toEqual(levels.toSorted((a, b) => a - b));
      expect(Math.min(...levels)).toBeGreaterThanOrEqual(5);
      expect(Math.max(...levels)).toBeLessThanOrEqual(ageing.levelMax(5));
    }),
  );
});
