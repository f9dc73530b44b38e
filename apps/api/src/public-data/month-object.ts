import type { PackageVerdict } from '@proctor/contracts';
import type { RemovedRunsOfMonth } from '@proctor/database';
import type { MonthResource } from '@proctor/resources';

/** @param figures in the order of the months */
export function monthObjects(figures: RemovedRunsOfMonth[]): MonthResource[] {
  return [...new Set(figures.map(({ month }) => month))].map((month) =>
    monthObject(
      month,
      figures.filter((each) => each.month === month),
    ),
  );
}

function monthObject(month: string, figures: RemovedRunsOfMonth[]): MonthResource {
  const count = (verdict: PackageVerdict): number =>
    figures.find((each) => each.verdict === verdict)?.runs ?? 0;
  const sum = (amount: 'runs' | 'timedRuns' | 'testSeconds'): number =>
    figures.reduce((all, each) => all + each[amount], 0);
  const [seconds, timed] = [sum('testSeconds'), sum('timedRuns')];
  return {
    month,
    pass: count('pass'),
    neutral: count('neutral'),
    fail: count('fail'),
    tmpfail: count('tmpfail'),
    total: sum('runs'),
    total_duration_seconds: seconds,
    average_duration_seconds: timed === 0 ? null : Math.round(seconds / timed),
  };
}
