import { monthObjects } from './month-object';

it('the figures of a month are added up by how runs ended, the average over runs whose duration is known', () => {
  const figures = [
    { month: '2026-10', verdict: 'fail', runs: 2, timedRuns: 1, testSeconds: 40 },
    { month: '2026-10', verdict: 'pass', runs: 3, timedRuns: 3, testSeconds: 61 },
    { month: '2026-11', verdict: 'tmpfail', runs: 1, timedRuns: 0, testSeconds: 0 },
  ] as const;
  expect(monthObjects([...figures])).toEqual([
    {
      month: '2026-10',
      pass: 3,
      neutral: 0,
      fail: 2,
      tmpfail: 0,
      total: 5,
      total_duration_seconds: 101,
      average_duration_seconds: 25,
    },
    {
      month: '2026-11',
      pass: 0,
      neutral: 0,
      fail: 0,
      tmpfail: 1,
      total: 1,
      total_duration_seconds: 0,
      average_duration_seconds: null,
    },
  ]);
});

it('a package without finished runs has no months', () => {
  expect(monthObjects([])).toEqual([]);
});
