import type { AttemptOutcome, WorkerStanding } from '@proctor/contracts';
import type { CountedAttempt, LoadedRows, RegisteredWorker, WorkerJudgement } from '@proctor/dispatch';
import { REQUEST_COLUMNS } from '../runs/run-columns';
import {
  bigint,
  boolean,
  type Columns,
  type ColumnsOf,
  double,
  integer,
  jsonb,
  type RowOf,
  selectList,
  type Statement,
  statement,
  text,
  texts,
} from '../kit/statement';
import { firstInOrder } from '../runs/waiting-rows';

/**
 * An unfinished run `r` as a dispatcher loads it, with its user `u` and its `latest` attempt. Empty lists are null.
 * Attempts are read only for runs that have some: most runs of a long queue were never granted.
 */
export const LOADED_COLUMNS = {
  runId: bigint,
  ...REQUEST_COLUMNS,
  pinPackages: REQUEST_COLUMNS.pinPackages.orNull.from(`nullif(r.pin_packages, '[]')`),
  extraAptSources: REQUEST_COLUMNS.extraAptSources.orNull.from(`nullif(r.extra_apt_sources, '[]')`),
  requestor: text.from('u.name'),
  arrivedAt: double.from('(extract(epoch from r.created_at) * 1000)::float8'),
  waitedMs: double.from(ago('r.created_at')),
  attempt: integer,
  grantEpoch: bigint.from('coalesce(latest.epoch, 0)'),
  state: text.as<'queued' | 'leased' | 'running'>(),
  /** Each attempt that was lost. */
  lost: jsonb.as<CountedAttempt[]>().orNull.from(`
    case when r.attempt > 0 then (
      select jsonb_agg(jsonb_build_object('attempt', a.attempt, 'worker', a.worker, 'crash', a.crash) order by a.attempt)
      from attempts a where a.run_id = r.run_id and a.outcome in ('expired', 'lost', 'failed')
    ) end`),
  latestWorker: text.orNull.from('latest.worker'),
  incarnation: text.orNull.from('latest.incarnation'),
  slot: integer.orNull.from('latest.slot'),
  heldMs: double.orNull.from(`latest."heldMs"`),
  /** The outcome of the latest attempt; null while the attempt is executed. */
  outcome: text.as<AttemptOutcome>().orNull.from('latest.outcome'),
  endedAgoMs: double.orNull.from(`latest."endedAgoMs"`),
  reason: text.orNull.from('latest.reason'),
};

/** The SQL of the milliseconds since a time, by PostgreSQL's clock. */
function ago(time: string): string {
  return `greatest(0, extract(epoch from statement_timestamp() - ${time}) * 1000)::float8`;
}

/** Loads the rows of `runs` that the SQL `selection` selects, oldest first. */
export function loadedRuns(selection: string): Statement<RowOf<typeof LOADED_COLUMNS>> {
  return statement(LOADED_COLUMNS, loadedSql(LOADED_COLUMNS, selection));
}

export function loadedSql(columns: Columns, selection: string): string {
  return `
    select ${selectList(columns, 'r')}
    from (${selection}) r
    join users u on u.user_id = coalesce(r.retried_by, r.requestor_id)
    left join lateral (
      select a.epoch, a.worker, a.incarnation, a.slot, a.outcome, a.reason,
        ${ago('a.granted_at')} as "heldMs", ${ago('a.ended_at')} as "endedAgoMs"
      from attempts a where r.attempt > 0 and a.run_id = r.run_id and a.attempt = r.attempt offset 0
    ) latest on true
    order by r.created_at, r.run_id`;
}

const UNFINISHED = `r.arch = $1 and r.state <> 'finished'`;

/** The transactions that have ended at this moment. */
export const SNAPSHOT = statement(
  { snapshot: text },
  'select pg_current_snapshot()::text as snapshot',
).asPrepared;

const ARRIVAL_COLUMNS = {
  ...LOADED_COLUMNS,
  createdIn: bigint.from('coalesce(r.created_in, 0)'),
  snapshot: text.from('pg_current_snapshot()::text'),
};

/** The number of a transaction in the type of its column. */
const transaction = (id: string): string => `${id}::text::bigint`;

/** The oldest transaction that was not over at the snapshot $3. */
const OLDEST = transaction('pg_snapshot_xmin($3::pg_snapshot)');

/**
 * Waiting runs that were never granted and whose transaction was not yet committed at the snapshot $3; after the run
 * $5 of the transaction $4. Transactions become visible in another order than that of their numbers, but none is
 * missed: all that were in progress at the snapshot have numbers from its `xmin` on. Rows from a dump may have larger
 * transaction numbers than this server has reached; rows that this server wrote never do.
 * The bounds use the whole key of the index: with a range for the architecture alone, each poll would read all
 * waiting runs.
 */
export const ARRIVALS = statement(
  ARRIVAL_COLUMNS,
  loadedSql(
    ARRIVAL_COLUMNS,
    firstInOrder(
      `runs r where r.state = 'queued' and r.attempt = 0
        and (r.arch, r.created_in, r.run_id)
          > ($1, greatest($4::bigint, ${OLDEST}), case when $4::bigint >= ${OLDEST} then $5::bigint else 0 end)
        and (r.arch, r.created_in) < ($1, ${transaction('pg_snapshot_xmax(pg_current_snapshot())')})
        and not pg_visible_in_snapshot(r.created_in::text::xid8, $3::pg_snapshot)`,
      'r.arch, r.created_in, r.run_id',
    ),
  ),
).asPrepared;

/** The unfinished runs among $2. Each run is found by its id alone, whatever the statistics say. */
export const UNFINISHED_OF = loadedRuns(`
    select r.* from unnest($2::bigint[]) as wanted(run_id) cross join lateral (
      select * from runs where run_id = wanted.run_id offset 0
    ) r where ${UNFINISHED}`);

export const REGISTERED_WORKERS = statement(
  {
    worker: text,
    architectures: texts,
    mayRunPrivate: boolean,
    isRevoked: boolean,
  } satisfies ColumnsOf<RegisteredWorker>,
  `
  select name as worker, architectures, may_run_private as "mayRunPrivate", revoked_at is not null as "isRevoked"
  from workers order by name`,
);

/** Memory does not hold more than this either. The newest are the most likely to still matter. */
const JUDGEMENTS_MAX = 10_000;

/** Workers that are not sound. */
export const JUDGEMENTS = statement(
  {
    worker: text,
    standing: text.as<WorkerStanding>(),
    reason: text,
    agoMs: double,
  } satisfies ColumnsOf<WorkerJudgement>,
  `
  select worker, standing, reason, ${ago('at')} as "agoMs"
  from (
    select * from (
      select distinct on (worker) * from worker_judgements where arch = $1 order by worker, judgement_id desc
    ) newest where standing <> 'sound' order by judgement_id desc limit ${JUDGEMENTS_MAX}
  ) judged order by worker`,
);

/** After more half-lives nothing is left, and the power is too small for a number. */
const HALF_LIVES_MAX = 1_000;

export const USAGE = statement(
  { requestor: text, slotMs: double, publicSlotMs: double } satisfies ColumnsOf<LoadedRows['usage'][number]>,
  `
  select u.name as requestor, s.slot_ms * left_of as "slotMs", s.public_slot_ms * left_of as "publicSlotMs"
  from usage s join users u using (user_id), lateral (
    select power(0.5, least(${HALF_LIVES_MAX},
      ${ago('s.at')} / $2))::float8 as left_of
  ) decay
  where s.arch = $1 order by u.name`,
);

/** The $2 durations that were learned last, the latest at the end. */
export const DURATIONS = statement(
  { package: text, durationMs: double } satisfies ColumnsOf<LoadedRows['durations'][number]>,
  `
  select package, seconds * 1000 as "durationMs" from (
    select * from package_durations where arch = $1 order by learned_at desc, package desc limit $2
  ) newest order by learned_at, package`,
);
