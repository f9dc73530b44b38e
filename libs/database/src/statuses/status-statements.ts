import { PACKAGE_VERDICTS, UNTESTED_VERDICTS } from '@proctor/contracts';
import { IS_PRESENT } from '../kit/list-filter';
import { type DayCounts, STATUS_COLUMNS, type StatusCounts, type StatusVersion } from './status';
import {
  type ColumnsOf,
  integer,
  type RowOf,
  selectList,
  type Statement,
  statement,
  text,
  time,
} from '../kit/statement';

/** The number of the newest runs of all packages that are searched for changes. */
const CHANGES_LOOKED_AT_MAX = 20_000;

/**
 * The condition that the run `r` counts for the status of its package: public, without pins and extra sources, not
 * cancelled, in the form of the index `runs_status`; and the package existed.
 */
export function countsForStatus(r: string): string {
  return `${r}.state = 'finished' and not ${r}.is_private and not ${r}.cancelled
    and ${r}.pin_packages = '[]' and ${r}.extra_apt_sources = '[]' and ${isOfPackage(r)}`;
}

/** The condition that the finished run `r` is about a package: a run that tested nothing is not. */
export function isOfPackage(r: string): string {
  return UNTESTED_VERDICTS.map((verdict) => `${r}.verdict <> '${verdict}'`).join(' and ');
}

export const COUNTS_FOR_STATUS = countsForStatus('r');

const NEWEST_FIRST = 'order by r.finished_at desc, r.run_id desc';

/**
 * The condition of the runs `b` of the package of `r`, on the same suite and architecture, before `r`; with `<=`
 * including it.
 */
function earlier(end: '<' | '<='): string {
  return `b.suite = r.suite and b.arch = r.arch and b.package = r.package and ${countsForStatus('b')}
    and (b.finished_at, b.run_id) ${end} (r.finished_at, r.run_id)`;
}

const LAST_PASS = `
  left join lateral (
    select b.version, b.finished_at from runs b where ${earlier('<=')} and b.verdict in ('pass', 'neutral')
    order by b.finished_at desc, b.run_id desc limit 1
  ) pass on true`;

/**
 * The last run of $1 and $2 that counts for each package `p`. An index finds it, because there are many runs and
 * packages.
 */
function lastOfEach(columns: string, until = ''): string {
  return `
    cross join lateral (
      select ${columns} from runs r where r.suite = $1 and r.arch = $2 and r.package = p.name and ${COUNTS_FOR_STATUS} ${until}
      ${NEWEST_FIRST} limit 1
    ) r`;
}

/**
 * The present states of the packages after the name $3, at most $4, with one of the verdicts $5 if that is not null.
 */
export const STATUS_OF = statement(
  STATUS_COLUMNS,
  `
  select ${selectList(STATUS_COLUMNS, 'r')}
  from packages p ${lastOfEach('*')}
  join users u on u.user_id = r.requestor_id
  left join lateral (
    select b.verdict from runs b where ${earlier('<')} order by b.finished_at desc, b.run_id desc limit 1
  ) before on true
  ${LAST_PASS}
  where p.is_public and not p.removed and p.name > $3 and ($5::text[] is null or r.verdict = any($5::text[]))
  order by p.name limit $4`,
);

/**
 * A value that changes whenever a new run of $1 and $2 counts, even if it got its time before others and was
 * committed later (transactions end within a minute), and whenever an import marks packages as removed.
 */
export const STATUS_VERSION = statement(
  {
    today: text,
    removed: integer,
    newestUpdate: time.orNull,
    latelyUpdated: integer,
  } satisfies ColumnsOf<StatusVersion>,
  `
  with newest as (
    select max(r.updated_at) as at from runs r where r.suite = $1 and r.arch = $2 and ${COUNTS_FOR_STATUS}
  )
  select to_char(now() at time zone 'UTC', 'YYYY-MM-DD') as today,
    (select count(*)::integer from packages where removed) as removed, newest.at as "newestUpdate", (
    select count(*)::integer from runs r
    where r.suite = $1 and r.arch = $2 and ${COUNTS_FOR_STATUS} and r.updated_at > newest.at - interval '1 minute'
  ) as "latelyUpdated" from newest`,
);

/** The columns that `counted` selects. */
const COUNTS = { pass: integer, neutral: integer, fail: integer, tmpfail: integer, total: integer };

function countColumns(verdict: string, count: string): string {
  return PACKAGE_VERDICTS.map(
    (each) => `coalesce(${count} filter (where ${verdict} = '${each}'), 0)::integer as ${each}`,
  )
    .concat(`coalesce(${count}, 0)::integer as total`)
    .join(', ');
}

export const STATUS_COUNTS = statement(
  { ...COUNTS, date: time.orNull } satisfies ColumnsOf<StatusCounts>,
  `
  select ${countColumns('r.verdict', 'count(*)')}, max(r.finished_at) as date
  from packages p ${lastOfEach('r.verdict, r.finished_at')}
  where p.is_public and not p.removed`,
);

/**
 * The counts on the suite $1 and the architecture $2 at the end of each of $3 days. Computed from the state of each
 * package before the first day, and then only from the days on which a run ended.
 * @param firstDay an SQL expression
 */
export const daysOfStatus = (firstDay: string): string => `
  with first as materialized (select ${firstDay} as day),
  known as (
    select p.name as package, first.day - interval '1 day' as day, r.verdict
    from first cross join packages p
    ${lastOfEach('r.verdict', `and r.finished_at < first.day at time zone 'UTC'`)}
    where p.is_public and not p.removed
  ),
  ended as (
    select distinct on (r.package, end_of.day) r.package, end_of.day, r.verdict
    from first, runs r, lateral (select date_trunc('day', r.finished_at at time zone 'UTC') as day) end_of
    where r.suite = $1 and r.arch = $2 and ${COUNTS_FOR_STATUS} and r.finished_at >= first.day at time zone 'UTC'
      and r.finished_at < (first.day + make_interval(days => $3::integer)) at time zone 'UTC' and ${IS_PRESENT('r')}
    order by r.package, end_of.day, r.finished_at desc, r.run_id desc
  ),
  stages as (
    select package, day, verdict, lag(verdict) over (partition by package order by day) as before
    from (select * from known union all select * from ended) said
  ),
  steps as materialized (
    select day, verdict, sum(difference) as difference
    from (
      select day, verdict, 1 as difference from stages
      union all select day, before, -1 from stages where before is not null
    ) step
    group by day, verdict
  )
  select d.day at time zone 'UTC' as date, ${countColumns('s.verdict', 'sum(s.difference)')}
  from first, generate_series(first.day, first.day + make_interval(days => $3::integer - 1), interval '1 day') d(day)
  left join steps s on s.day <= d.day
  group by d.day order by d.day`;

export const STATUS_HISTORY = statement(
  { date: time, ...COUNTS } satisfies ColumnsOf<DayCounts>,
  daysOfStatus(`date_trunc('day', now() at time zone 'UTC') - make_interval(days => $3::integer - 1)`),
);

/**
 * Runs `r` that ended differently from the one before, or failed as the first; tmpfail does not count, and neutral
 * equals pass if $2 is true. The last pass is read only for runs in the result: many more are examined.
 */
function changes(among: string): Statement<RowOf<typeof STATUS_COLUMNS>> {
  const shownVerdict = (verdict: string) =>
    `case when $2 and ${verdict} = 'neutral' then 'pass' else ${verdict} end`;
  return statement(
    STATUS_COLUMNS,
    `
    select ${selectList(STATUS_COLUMNS, 'r')}
    from (
      select r.*, before.verdict as verdict_before from (${among}) r
      left join lateral (
        select b.verdict from runs b where ${earlier('<')} and b.verdict <> 'tmpfail'
        order by b.finished_at desc, b.run_id desc limit 1
      ) before on true
      where ${shownVerdict('r.verdict')} <> ${shownVerdict('before.verdict')} or (before.verdict is null and r.verdict = 'fail')
      ${NEWEST_FIRST} limit $1
    ) r
    cross join lateral (select r.verdict_before as verdict) before
    join users u on u.user_id = r.requestor_id
    ${LAST_PASS}
    ${NEWEST_FIRST}`,
  );
}

const COUNTS_WITHOUT_TMPFAIL = `${COUNTS_FOR_STATUS} and r.verdict <> 'tmpfail'`;

export const CHANGES = changes(
  `select * from runs r where ${COUNTS_WITHOUT_TMPFAIL} ${NEWEST_FIRST} limit ${CHANGES_LOOKED_AT_MAX}`,
);

export const CHANGES_OF_PACKAGE = changes(
  `select * from runs r where r.package = $3 and ${COUNTS_WITHOUT_TMPFAIL}`,
);
