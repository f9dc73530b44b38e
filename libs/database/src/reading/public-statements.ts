import { RECORD_COLUMNS, selectRecords, TEST_COLUMNS } from '../runs/run-columns';
import {
  type ColumnsOf,
  integer,
  namesOf,
  selectList,
  type Statement,
  statement,
  text,
  time,
} from '../kit/statement';
import { isOfPackage, COUNTS_FOR_STATUS } from '../statuses/status-statements';

/** The numbers of the suite queue of one suite and architecture. */
export interface QueueLength {
  suite: string;
  arch: string;
  waiting: number;
  /** Leased or running. */
  running: number;
  /** The arrival of the run that has waited longest; null if none waits. */
  oldestAt: Date | null;
}

/** The runs of one suite and architecture that finished within the last hour. */
export interface QueueRate {
  suite: string;
  arch: string;
  perHour: number;
  /** The median wait from the request to the start of the latest attempt; null if none was started. */
  waitSeconds: number | null;
}

/** The user with the most waiting runs of some queues. */
export interface WaitingShare {
  user: string;
  count: number;
  /** The waiting runs of all users. */
  of: number;
}

const NEWEST_FIRST = 'order by r.finished_at desc, r.run_id desc';
const FINISHED = `r.state = 'finished' and not r.is_private`;
const OF_PACKAGE = 'r.package = $1 and r.suite = $2 and r.arch = $3';

export const LATEST = selectRecords(`where ${OF_PACKAGE} and ${COUNTS_FOR_STATUS} ${NEWEST_FIRST} limit 1`);

export const HISTORY = selectRecords(`where ${OF_PACKAGE} and ${FINISHED} ${NEWEST_FIRST} limit $4`);

/** Empty if $5 is not one of these runs. */
export const HISTORY_BEFORE = selectRecords(`
  where ${OF_PACKAGE} and ${FINISHED} and (r.finished_at, r.run_id) < (
    select r.finished_at, r.run_id from runs r where r.run_id = $5 and ${OF_PACKAGE} and ${FINISHED})
  ${NEWEST_FIRST} limit $4`);

export const RECENT = selectRecords(`where ${FINISHED} ${NEWEST_FIRST} limit $1`);

export const RUNNING = selectRecords(`
  where r.state in ('leased', 'running') and not r.is_private
  order by r.started_at nulls last, r.run_id limit $1`);

export const WAITING = selectRecords(`
  where r.state = 'queued' and not r.is_private
  order by r.priority desc, r.created_at, r.run_id limit $1`);

const QUEUE_LENGTH = {
  suite: text,
  arch: text,
  waiting: integer,
  running: integer,
  oldestAt: time.orNull,
} satisfies ColumnsOf<QueueLength>;

/** Public and private runs have an index each. */
function unfinished(privacy: 'is_private' | 'not is_private'): string {
  return `
    select suite, arch,
      (count(*) filter (where state = 'queued'))::integer as waiting,
      (count(*) filter (where state <> 'queued'))::integer as running,
      min(created_at) filter (where state = 'queued') as "oldestAt"
    from runs where state <> 'finished' and ${privacy} group by suite, arch`;
}

export const QUEUES = statement(QUEUE_LENGTH, `${unfinished('not is_private')} order by suite, arch`);

export const ALL_QUEUES = statement(
  QUEUE_LENGTH,
  `
  select suite, arch, sum(waiting)::integer as waiting, sum(running)::integer as running, min("oldestAt") as "oldestAt"
  from (${unfinished('not is_private')} union all ${unfinished('is_private')}) half
  group by suite, arch order by suite, arch`,
);

/** The most waiting runs of one user, in the suite $1 and the architecture $2; each may be null. Reads `runs_lines` alone. */
export const WAITING_SHARE = statement(
  { user: text, count: integer, of: integer } satisfies ColumnsOf<WaitingShare>,
  `
  select u.name as "user", w.count, w."of"
  from (
    select coalesce(r.retried_by, r.requestor_id) as user_id, count(*)::integer as count,
      (sum(count(*)) over ())::integer as "of"
    from runs r
    where r.state = 'queued' and r.attempt = 0 and not r.is_private
      and ($1::text is null or r.suite = $1) and ($2::text is null or r.arch = $2)
    group by 1 order by 2 desc, 1 limit 1
  ) w join users u on u.user_id = w.user_id`,
);

/** Public and private runs have an index each. */
function finishedLately(privacy: 'is_private' | 'not is_private'): string {
  return `
    select suite, arch, extract(epoch from started_at - created_at) as wait from runs
    where state = 'finished' and not cancelled and finished_at > now() - interval '1 hour' and ${privacy}`;
}

const QUEUE_RATE = {
  suite: text,
  arch: text,
  perHour: integer,
  waitSeconds: integer.orNull,
} satisfies ColumnsOf<QueueRate>;

function rates(runs: string): Statement<QueueRate> {
  return statement(
    QUEUE_RATE,
    `
    select suite, arch, count(*)::integer as "perHour",
      (percentile_disc(0.5) within group (order by wait))::integer as "waitSeconds"
    from (${runs}) finished group by suite, arch order by suite, arch`,
  );
}

export const RATES = rates(finishedLately('not is_private'));

export const ALL_RATES = rates(
  `${finishedLately('not is_private')} union all ${finishedLately('is_private')}`,
);

/**
 * The places of a package. One row is read for each suite and architecture, however many runs there are. The order
 * includes the package, because only the index `runs_history` has such an order: other indexes would be read past all
 * packages before this one.
 */
const places = (condition: string): string => `
  (select r.suite, r.arch from runs r where r.package >= $1 and r.package <= $1 and ${condition}
   order by r.package, r.suite, r.arch limit 1)
  union all
  select next.suite, next.arch
  from places p cross join lateral (
    select r.suite, r.arch from runs r
    where (r.package, r.suite, r.arch) > ($1, p.suite, p.arch) and r.package <= $1 and ${condition}
    order by r.package, r.suite, r.arch limit 1
  ) next`;

/** The newest run of each place of a package for which the condition is true. */
const newestOfPlaces = (condition: string) =>
  statement(
    RECORD_COLUMNS,
    `
  with recursive places(suite, arch) as (${places(condition)})
  select ${selectList(RECORD_COLUMNS, 'r')}
  from places p cross join lateral (
    select r.* from runs r where r.package = $1 and r.suite = p.suite and r.arch = p.arch and ${condition}
    ${NEWEST_FIRST} limit 1
  ) r join users u on u.user_id = r.requestor_id
  order by r.suite, r.arch`,
  );

export const SUITES_OF = newestOfPlaces(COUNTS_FOR_STATUS);

export const ABSENT_FROM = newestOfPlaces(
  `r.state = 'finished' and not r.is_private and not r.cancelled and not (${isOfPackage('r')})`,
);

export const EQUAL_WAITING = statement(
  { count: integer },
  `
  select count(*)::integer as count
  from runs r join runs equal using (${namesOf(TEST_COLUMNS)})
  where equal.run_id = $1 and r.state = 'queued' and (not r.is_private or r.api_key_id = $2)`,
);

/** The SQL of `packagePrefix` for a name in a column. */
export const NAMED_PREFIX = (name: string): string =>
  `case when ${name} like 'lib_%' then left(${name}, 4) else left(${name}, 1) end`;

const PREFIX = NAMED_PREFIX('name');

export const PREFIXES = statement(
  { prefix: text },
  `select distinct ${PREFIX} as prefix from packages where is_public order by 1`,
);
