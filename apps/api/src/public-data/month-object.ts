import type { PackageVerdict } from '@proctor/contracts';
import type { RemovedRunsOfMonth } from '@proctor/database';

/** Finished runs of a package in a month, as the public data has them: by how they ended, and how long they took. */
export interface MonthObject extends Record<PackageVerdict, number> {
  /** `YYYY-MM`, UTC. */
  month: string;
  total: number;
  /** Of those whose duration is known. */
  total_duration_seconds: number;
  /** Null when no duration is known. */
  average_duration_seconds: number | null;
}

/** @param figures in the order of their months */
export function monthObjects(figures: RemovedRunsOfMonth[]): MonthObject[] {
  return [...new Set(figures.map(({ month }) => month))].map((month) =>
    monthObject(
      month,
      figures.filter((each) => each.month === month),
    ),
  );
}

function monthObject(month: string, figures: RemovedRunsOfMonth[]): MonthObject {
  const ended = (verdict: PackageVerdict): number =>
    figures.find((each) => each.verdict === verdict)?.runs ?? 0;
  const sum = (amount: 'runs' | 'timedRuns' | 'testSeconds'): number =>
    figures.reduce((all, each) => all + each[amount], 0);
  const [seconds, timed] = [sum('testSeconds'), sum('timedRuns')];
  return {
    month,
    pass: ended('pass'),
    neutral: ended('neutral'),
    fail: ended('fail'),
    tmpfail: ended('tmpfail'),
    total: sum('runs'),
    total_duration_seconds: seconds,
    average_duration_seconds: timed === 0 ? null : Math.round(seconds / timed),
  };
}
