import { Injectable } from '@nestjs/common';
import type { PackageVerdict } from '@proctor/contracts';
import { Database } from '../kit/database';
import { bigint, type ColumnsOf, integer, selectList, statement, text, time } from '../kit/statement';
import { isOfPackage } from './status-statements';

/** A package on one suite and architecture. */
interface MonthsPlace {
  package: string;
  suite: string;
  arch: string;
}

/** Removed public runs of a package that ended in a month with a verdict, without cancelled ones. */
export interface RemovedRunsOfMonth {
  /** `YYYY-MM`, UTC. */
  month: string;
  verdict: PackageVerdict;
  runs: number;
  /** The number of runs whose duration is known, and their total duration. */
  timedRuns: number;
  testSeconds: number;
}

/** Runs of a package that ended in a month, removed or not. */
export interface RunsOfMonth extends RemovedRunsOfMonth {
  /** The last update of the runs that still have rows; null: all were removed. */
  updatedAt: Date | null;
}

/** The number of runs of a package in each month. Removed runs count: `Expiry` adds them up when it removes them. */
@Injectable()
export class PackageMonths {
  constructor(private readonly database: Database) {}

  /** All runs by month, oldest first; months without runs are absent. */
  of({ package: name, suite, arch }: MonthsPlace): Promise<RunsOfMonth[]> {
    return this.database.query(MONTHS, [name, suite, arch]);
  }

  /** Only removed runs, of the newest months, newest first. */
  listRemoved({ package: name, suite, arch }: MonthsPlace, months: number): Promise<RemovedRunsOfMonth[]> {
    return this.database.query(REMOVED, [name, suite, arch, months]);
  }
}

/** The SQL of the month of a finished run `r`, and of the counts of several; see `package_months`. */
export const MONTH_OF_RUN = `date_trunc('month', r.finished_at at time zone 'UTC')::date`;
export const MONTH_AMOUNTS = `count(*)::integer as runs, count(r.duration_seconds)::integer as timed_runs,
      coalesce(sum(r.duration_seconds), 0)::bigint as test_seconds`;

const REMOVED_COLUMNS = {
  month: text.from(`coalesce(to_char(m.month, 'YYYY-MM'), '')`),
  verdict: text.as<PackageVerdict>(),
  runs: integer,
  timedRuns: integer,
  testSeconds: bigint,
} satisfies ColumnsOf<RemovedRunsOfMonth>;

/** Removed runs of the newest $4 months. */
const REMOVED = statement(
  REMOVED_COLUMNS,
  `
  select ${selectList(REMOVED_COLUMNS, 'm')} from package_months m
  where m.package = $1 and m.suite = $2 and m.arch = $3 and m.month in (
    select distinct k.month from package_months k where k.package = $1 and k.suite = $2 and k.arch = $3
    order by k.month desc limit $4)
  order by m.month desc, m.verdict`,
);

const MONTHS = statement(
  { ...REMOVED_COLUMNS, updatedAt: time.orNull } satisfies ColumnsOf<RunsOfMonth>,
  `
  select coalesce(to_char(m.month, 'YYYY-MM'), '') as month, m.verdict, sum(m.runs)::integer as runs,
    sum(m.timed_runs)::integer as "timedRuns", sum(m.test_seconds)::bigint as "testSeconds", max(m.updated_at) as "updatedAt"
  from (
    select ${MONTH_OF_RUN} as month, r.verdict, ${MONTH_AMOUNTS}, max(r.updated_at) as updated_at
    from runs r
    where r.package = $1 and r.suite = $2 and r.arch = $3 and r.state = 'finished' and not r.is_private and not r.cancelled
      and ${isOfPackage('r')}
    group by 1, 2
    union all
    select k.month, k.verdict, k.runs, k.timed_runs, k.test_seconds, null
    from package_months k where k.package = $1 and k.suite = $2 and k.arch = $3
  ) m group by m.month, m.verdict order by m.month, m.verdict`,
);
