import { Injectable } from '@nestjs/common';
import { type AttemptOutcome, PACKAGE_VERDICTS } from '@proctor/contracts';
import { columnsOf } from '../kit/columns-of';
import { Database } from '../kit/database';
import { AttemptRow } from '../rows/attempt';
import { RunRow } from '../rows/run';
import { type RunRecord, selectRecords } from '../runs/run-columns';
import {
  certain,
  type ColumnsOf,
  double,
  integer,
  selectList,
  statement,
  text,
  time,
} from '../kit/statement';

/** An attempt that a worker has ended, or that ended because no report of the worker arrived. */
export interface EndedAttempt
  extends
    Pick<AttemptRow, 'worker' | 'runId' | 'attempt' | 'verdict' | 'reason' | 'startedAt'>,
    Pick<RunRow, 'package' | 'suite' | 'arch'> {
  outcome: AttemptOutcome;
  endedAt: Date;
}

/**
 * The last attempts of a worker, compared with those of other workers on the same packages, suites and architectures.
 */
export interface WorkerComparison {
  /** The number of the worker's attempts that could be compared. */
  attempts: number;
  /** The number of these that ended as fail. */
  failed: number;
  /** The number of these without a result: tmpfail, or no report. */
  withoutResult: number;
  /** The expected numbers if this worker failed as often as other workers. */
  expectedFailed: number;
  expectedWithoutResult: number;
}

/** The attempts of a worker that ended in an hour, UTC, by verdict; those without a report are counted as tmpfail. */
export interface WorkerHour {
  /** The beginning of the hour. */
  hour: Date;
  pass: number;
  neutral: number;
  fail: number;
  tmpfail: number;
  /** The time that slots spent on attempts. */
  busySeconds: number;
}

/** The number of the newest attempts of a worker that are compared. */
const COMPARED_MAX = 100;

/** The attempts on the pages of workers, as far back as 30 days. Only administrators see those of private runs. */
@Injectable()
export class WorkerPages {
  constructor(private readonly database: Database) {}

  /** The last attempts of each worker, newest first. */
  attempts(workers: string[], limit: number, everything = false): Promise<EndedAttempt[]> {
    return this.database.query(ATTEMPTS, [workers, limit, everything]);
  }

  /** The runs that a worker executes now, oldest first. */
  running(worker: string, limit: number, everything = false): Promise<RunRecord[]> {
    return this.database.query(RUNNING, [worker, limit, everything]);
  }

  /** What a worker did with public runs in each hour since then, the oldest first. Idle hours are absent. */
  hours(worker: string, since: Date): Promise<WorkerHour[]> {
    return this.database.query(HOURS, [worker, since]);
  }

  /** Compares a worker with the others, by public runs. */
  async comparison(worker: string): Promise<WorkerComparison> {
    const [row] = await this.database.query(COMPARISON, [worker, COMPARED_MAX]);
    return row!;
  }
}

/** The condition in the form of the index `attempts_of_workers`. */
const ENDED = (a: string): string => `${a}.outcome in ('finished', 'failed', 'expired', 'lost')`;

/**
 * The newest attempts of a worker.
 * @param limit the number of attempts of public runs, or of all runs if `everything` is true
 */
const newestOf = (worker: string, limit: string, everything: string): string => `
  select a.run_id, a.attempt, r.package, r.suite, r.arch, a.outcome, a.verdict, a.reason, a.started_at, a.ended_at
  from attempts a join runs r using (run_id)
  where a.worker = ${worker} and ${ENDED('a')} and a.ended_at > now() - interval '30 days'
    and (not r.is_private or ${everything})
  order by a.ended_at desc, a.run_id desc, a.attempt desc limit ${limit}`;

const ATTEMPT_COLUMNS = {
  ...columnsOf(AttemptRow, 'runId', 'attempt', 'verdict', 'reason', 'startedAt'),
  ...columnsOf(RunRow, 'package', 'suite', 'arch'),
  worker: text.from('w.name'),
  outcome: text.as<AttemptOutcome>().from(certain('a.outcome')),
  endedAt: time.from(certain('a.ended_at')),
} satisfies ColumnsOf<EndedAttempt>;

export const ATTEMPTS = statement(
  ATTEMPT_COLUMNS,
  `
  select ${selectList(ATTEMPT_COLUMNS, 'a')} from unnest($1::text[]) as w(name)
  cross join lateral (${newestOf('w.name', '$2', '$3::boolean')}) a
  order by w.name, a.ended_at desc, a.run_id desc, a.attempt desc`,
);

/** Public and private runs have an index each. */
const RUNNING = selectRecords(`
  where r.run_id in (
    select run_id from runs where state in ('leased', 'running') and not is_private and worker = $1
    union all
    select run_id from runs
    where state <> 'finished' and is_private and state in ('leased', 'running') and worker = $1 and $3::boolean
  )
  order by r.started_at nulls last, r.run_id limit $2`);

/** The number of the newest public runs of a place whose attempts on other workers are compared. */
const RUNS_OF_PLACE = 20;

const HAS_FAILED = (a: string): string => `(${a}.verdict is not distinct from 'fail')`;
const HAS_NO_RESULT = (a: string): string =>
  `(${a}.outcome <> 'finished' or ${a}.verdict is null or ${a}.verdict = 'tmpfail')`;
const shareOf = (condition: string): string => `avg(case when ${condition} then 1 else 0 end)::float8`;
const countOf = (condition: string): string => `count(*) filter (where ${condition})`;

export const COMPARISON = statement(
  {
    attempts: integer,
    failed: integer,
    withoutResult: integer,
    expectedFailed: double,
    expectedWithoutResult: double,
  } satisfies ColumnsOf<WorkerComparison>,
  `
  with places as materialized (
    select a.package, a.suite, a.arch, count(*) as attempts, ${countOf(HAS_FAILED('a'))} as failed,
      ${countOf(HAS_NO_RESULT('a'))} as without_result
    from (${newestOf('$1', '$2', 'false')}) a
    group by a.package, a.suite, a.arch
  )
  select coalesce(sum(p.attempts), 0)::integer as attempts, coalesce(sum(p.failed), 0)::integer as failed,
    coalesce(sum(p.without_result), 0)::integer as "withoutResult",
    coalesce(sum(p.attempts * fleet.failed), 0)::float8 as "expectedFailed",
    coalesce(sum(p.attempts * fleet.without_result), 0)::float8 as "expectedWithoutResult"
  from places p
  cross join lateral (
    select ${shareOf(HAS_FAILED('o'))} as failed, ${shareOf(HAS_NO_RESULT('o'))} as without_result
    from (
      select b.run_id from runs b
      where b.package = p.package and b.suite = p.suite and b.arch = p.arch
        and b.state = 'finished' and not b.is_private
      order by b.finished_at desc, b.run_id desc limit ${RUNS_OF_PLACE}
    ) newest join attempts o using (run_id)
    where o.worker <> $1 and ${ENDED('o')}
    having count(*) > 0
  ) fleet`,
);

const hourOf = (moment: string): string => `date_trunc('hour', ${moment}, 'UTC')`;
const IN_HOUR = `extract(epoch from least(a.ended_at, h.hour + interval '1 hour') - greatest(a.started_at, h.hour))`;
const endedAs = (condition: string): string =>
  `(count(*) filter (where ${hourOf('a.ended_at')} = h.hour and a.has_ended and ${condition}))::integer`;

export const HOURS = statement(
  {
    hour: time,
    pass: integer,
    neutral: integer,
    fail: integer,
    tmpfail: integer,
    busySeconds: integer,
  } satisfies ColumnsOf<WorkerHour>,
  `
  with attempts_of_worker as materialized (
    select coalesce(a.started_at, a.ended_at) as started_at, a.ended_at, true as has_ended,
      case when ${HAS_NO_RESULT('a')} then 'tmpfail' else a.verdict end as verdict
    from attempts a join runs r using (run_id)
    where a.worker = $1 and ${ENDED('a')} and a.ended_at >= $2 and not r.is_private
    union all
    select r.started_at, now(), false, null from runs r
    where r.state in ('leased', 'running') and not r.is_private and r.worker = $1 and r.started_at is not null
  )
  select h.hour, ${PACKAGE_VERDICTS.map((verdict) => `${endedAs(`a.verdict = '${verdict}'`)} as ${verdict}`).join(', ')},
    coalesce(sum(${IN_HOUR}), 0)::integer as "busySeconds"
  from attempts_of_worker a
  cross join lateral generate_series(greatest(${hourOf('a.started_at')}, ${hourOf('$2::timestamptz')}), a.ended_at,
    interval '1 hour') h(hour)
  group by h.hour order by h.hour`,
);
