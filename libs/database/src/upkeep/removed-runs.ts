import { Injectable } from '@nestjs/common';
import { isRunId } from '@proctor/contracts';
import { Database } from '../kit/database';
import {
  bigint,
  boolean,
  integer,
  type RowOf,
  type Statement,
  statement,
  text,
  time,
} from '../kit/statement';
import { MONTH_AMOUNTS, MONTH_OF_RUN } from '../statuses/package-months';
import { WINDOW } from '../statuses/package-status';
import { isOfPackage, countsForStatus } from '../statuses/status-statements';
import { IS_KEPT } from './expiry-statements';

/** The remaining data of a run whose row was removed. */
interface RunRemoval {
  /** See `removedBy`. */
  removedBy: string;
  /** The owner of a private run; null for a public run. */
  owner: { keyId: number; requestor: string } | null;
}

/** Runs whose rows were removed: `Expiry` does that. */
@Injectable()
export class RemovedRuns {
  constructor(private readonly database: Database) {}

  /** The removal of a run; null if no such run was removed. */
  async find(runId: number): Promise<RunRemoval | null> {
    if (!isRunId(runId)) return null;
    const [row] = await this.database.query(REMOVAL, [runId]);
    if (!row) return null;
    const { removedBy, keyId, requestor } = row;
    return { removedBy, owner: keyId === null || requestor === null ? null : { keyId, requestor } };
  }
}

/** A finished run, and the data that decides whether its row may be removed. */
const OLD_RUN_COLUMNS = {
  runId: bigint,
  finishedAt: time,
  hasLog: boolean,
  hasArtifacts: boolean,
  /** Whether it has facts and attempts. */
  hasStory: boolean,
  /** Whether other data refers to it or is computed from it. */
  isNeeded: boolean,
};

export type OldRun = RowOf<typeof OLD_RUN_COLUMNS>;

const SHOWN = (b: string): string =>
  `${b}.state = 'finished' and not ${b}.is_private and not ${b}.cancelled and ${isOfPackage(b)}`;

/** The condition that fewer than `count` runs at the place of `r` are later. */
const areFewLater = (condition: string, count: number): string => `(
  select count(*) < ${count} from (
    select from runs b where b.suite = r.suite and b.arch = r.arch and b.package = r.package and ${condition}
      and (b.finished_at, b.run_id) > (r.finished_at, r.run_id) limit ${count}) later)`;

/**
 * The condition that a run is needed: the figures of its day until that is final, and the strip, flakiness and
 * durations of its place are computed from it, or the status of its package refers to it.
 */
const IS_NEEDED = `(
  ${IS_KEPT}
  or not coalesce((r.finished_at at time zone 'UTC')::date
    <= (select p.closed_day from status_progress p where p.arch = r.arch), false)
  or (${countsForStatus('r')} and ${areFewLater(`${countsForStatus('b')} and b.verdict <> 'tmpfail'`, 2 * WINDOW)})
  or (${SHOWN('r')} and not (${countsForStatus('r')}) and ${areFewLater(SHOWN('b'), WINDOW + 1)})
  or exists (select from package_statuses s where s.package = r.package and s.suite = r.suite and s.arch = r.arch
    and r.run_id in (s.run_id, s.passed_run_id, s.failing_run_id, s.recovered_run_id))
  or exists (select from runs t where t.retry_of = r.run_id))`;

const OLD_RUNS_WHERE = (condition: string): Statement<OldRun> =>
  statement(
    OLD_RUN_COLUMNS,
    `
    select r.run_id as "runId", least(r.finished_at) as "finishedAt", r.log_size is not null as "hasLog",
      r.artifacts_size is not null as "hasArtifacts", r.story_removed_by is null as "hasStory", ${IS_NEEDED} as "isNeeded"
    from runs r
    where r.state = 'finished' and ${condition} and r.finished_at < $1
      and r.finished_at >= $2::timestamptz and (r.finished_at, r.run_id) > ($2::timestamptz, $3::bigint)
    order by r.finished_at, r.run_id limit $4`,
  );

/** Runs that finished before $1, after the time $2 and the run $3; at most $4. */
export const OLD_RUNS = {
  public: OLD_RUNS_WHERE('not r.is_private'),
  private: OLD_RUNS_WHERE('r.is_private'),
};

/**
 * Deletes the rows of the runs among $1 that have no files and no story, by the rule $2, and adds them to the figures
 * of their months. Rows that another transaction holds are skipped.
 */
export const REMOVE_RUNS = statement(
  { runs: integer },
  `
  with going as (
    select r.run_id, r.is_private, r.requestor_id, r.api_key_id, r.package, r.suite, r.arch, r.finished_at, r.verdict,
      r.duration_seconds, r.cancelled
    from runs r
    where r.run_id = any($1::bigint[]) and r.state = 'finished' and r.story_removed_by is not null
      and r.log_size is null and r.artifacts_size is null and not exists (select from runs t where t.retry_of = r.run_id)
    order by r.run_id for update skip locked
  ), new_facts as (
    insert into removed_runs (run_id, removed_by, requestor_id, api_key_id)
    select run_id, $2, case when is_private then requestor_id end, case when is_private then api_key_id end from going
    on conflict do nothing
  ), counted as (
    insert into package_months as kept (package, suite, arch, month, verdict, runs, timed_runs, test_seconds)
    select r.package, r.suite, r.arch, ${MONTH_OF_RUN}, r.verdict, ${MONTH_AMOUNTS}
    from going r where not r.is_private and not r.cancelled and ${isOfPackage('r')} group by 1, 2, 3, 4, 5
    on conflict (package, suite, arch, month, verdict) do update set runs = kept.runs + excluded.runs,
      timed_runs = kept.timed_runs + excluded.timed_runs, test_seconds = kept.test_seconds + excluded.test_seconds
  ), testbeds as (
    delete from run_testbeds t using going g where t.run_id = g.run_id
  ), changes as (
    delete from run_changes c using going g where c.run_id = g.run_id
  ), later_facts as (
    delete from facts f using going g where f.run_id = g.run_id
  ), gone as (
    delete from runs r using going g where r.run_id = g.run_id returning r.run_id
  )
  select count(*)::integer as runs from gone`,
);

const REMOVAL = statement(
  { removedBy: text, keyId: integer.orNull, requestor: text.orNull },
  `
  select e.removed_by as "removedBy", e.api_key_id as "keyId", u.name as requestor
  from removed_runs e left join users u on u.user_id = e.requestor_id where e.run_id = $1`,
);
