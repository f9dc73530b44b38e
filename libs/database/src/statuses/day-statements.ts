import { PACKAGE_VERDICTS, type PackageVerdict } from '@proctor/contracts';
import { IS_PRESENT } from '../kit/list-filter';
import { bigint, boolean, type ColumnsOf, command, integer, statement, text } from '../kit/statement';
import { daysOfStatus, isOfPackage } from './status-statements';

/** Public runs that ended on a day with a verdict; cancelled ones are in none. */
export interface RunsOfDay {
  /** `YYYY-MM-DD`, UTC. */
  day: string;
  verdict: PackageVerdict;
  runs: number;
  /** Those whose duration is known, and how long all of them took. */
  timedRuns: number;
  testSeconds: number;
  /** Those that were started, and how long all of them waited: from the request to the start of the attempt that counts. */
  startedRuns: number;
  waitSeconds: number;
  /** How many of them began within 15 minutes, an hour, six hours and a day. */
  beganInQuarter: number;
  beganInHour: number;
  beganInSixHours: number;
  beganInDay: number;
}

/** How many packages had which status at the end of a day; today's is as of now. */
export interface PackagesOfDay extends Record<PackageVerdict, number> {
  /** `YYYY-MM-DD`, UTC. */
  day: string;
}

/** The newest of these, of one suite and architecture. */
export interface PackagesOfPlace extends PackagesOfDay {
  suite: string;
  arch: string;
}

/** A public run of $1 that ended by itself, and tested a package. */
const COUNTS = `r.arch = $1 and r.state = 'finished' and not r.is_private and not r.cancelled and ${isOfPackage('r')}`;

const TODAY = `(now() at time zone 'UTC')::date`;
const dayText = (day: string): string => `coalesce(to_char(${day}, 'YYYY-MM-DD'), '')`;

/**
 * Which days of the architecture $1 are to be made: up to $2 of those that are over for a day, or else the last two. The first
 * is that of the run that was the first to change.
 */
export const DAYS_LEFT = statement(
  { closedDay: text.orNull, nextDay: text, lastDay: text, today: text, isPast: boolean, hasMore: boolean },
  `
  with known as (
    select p.closed_day, ${TODAY} as today, coalesce(p.closed_day + 1, (
      select (r.finished_at at time zone 'UTC')::date from runs r where ${COUNTS} order by r.updated_at, r.run_id limit 1
    ), ${TODAY} - 1) as next
    from status_progress p where p.arch = $1 and p.filled_package is null
  )
  select to_char(closed_day, 'YYYY-MM-DD') as "closedDay", ${dayText('least(next, today - 1)')} as "nextDay",
    ${dayText('least(next + $2::integer - 1, today - 2)')} as "lastDay", ${dayText('today')} as today,
    coalesce(next <= today - 2, false) as "isPast", coalesce(next + $2::integer - 1 < today - 2, false) as "hasMore"
  from known`,
);

/** Of several processes one at a time writes the days of $1. */
export const LOCK_DAYS = statement(
  { arch: text },
  'select arch from status_progress where arch = $1 for no key update',
);

/** Up to the day $2; not when others than those after the day $3 are to be made meanwhile, which may be null. */
export const CLOSE_DAYS = command(`
  update status_progress set closed_day = $2::date where arch = $1 and closed_day is not distinct from $3::date`);

const AMOUNTS = {
  runs: 'count(*)',
  timed_runs: 'count(r.duration_seconds)',
  test_seconds: 'coalesce(sum(r.duration_seconds), 0)',
  started_runs: 'count(r.started_at)',
  wait_seconds: 'coalesce(sum(extract(epoch from r.started_at - r.created_at)), 0)::bigint',
  ...Object.fromEntries(
    Object.entries({ quarter: '15 minutes', hour: '1 hour', six_hours: '6 hours', day: '1 day' }).map(
      ([name, span]) => [
        `began_in_${name}`,
        `count(*) filter (where r.started_at - r.created_at <= interval '${span}')`,
      ],
    ),
  ),
};
const NAMES = Object.keys(AMOUNTS);

/** Of the architecture $1, from the day $2 to the day $3. A run changes when it ends or later, never before. */
export const KEEP_RUN_DAYS = command(`
  with made as materialized (
    select (r.finished_at at time zone 'UTC')::date as day, r.suite, r.verdict,
      ${Object.entries(AMOUNTS)
        .map(([name, amount]) => `${amount} as ${name}`)
        .join(', ')}
    from runs r
    where ${COUNTS} and r.updated_at >= $2::date::timestamp at time zone 'UTC'
      and r.finished_at >= $2::date::timestamp at time zone 'UTC'
      and r.finished_at < ($3::date + 1)::timestamp at time zone 'UTC'
    group by 1, 2, 3
  ), gone as (
    delete from run_days d where d.arch = $1 and d.day between $2::date and $3::date and not exists (
      select from made m where m.day = d.day and m.suite = d.suite and m.verdict = d.verdict)
  )
  insert into run_days as kept (arch, day, suite, verdict, ${NAMES.join(', ')})
  select $1::text, m.* from made m
  on conflict (day, suite, arch, verdict) do update set ${NAMES.map((name) => `${name} = excluded.${name}`).join(', ')}
  where (${NAMES.map((name) => `kept.${name}`).join(', ')}) is distinct from (${NAMES.map((name) => `excluded.${name}`).join(', ')})`);

const VERDICT_NAMES = PACKAGE_VERDICTS;

const KEPT = `
  on conflict (day, suite, arch) do update set
    ${VERDICT_NAMES.map((name) => `${name} = excluded.${name}`).join(', ')}
  where (${VERDICT_NAMES.map((name) => `kept.${name}`).join(', ')})
    is distinct from (${VERDICT_NAMES.map((name) => `excluded.${name}`).join(', ')})`;

export const SUITES = statement(
  { suite: text },
  'select s.suite from package_statuses s where s.arch = $1 group by s.suite order by s.suite',
);

/** Of the suite $1 and architecture $2, of $3 days from the day $4 on. */
export const KEEP_STATUS_DAYS = command(`
  insert into status_days as kept (day, suite, arch, ${VERDICT_NAMES.join(', ')})
  select (h.date at time zone 'UTC')::date, $1::text, $2::text, ${VERDICT_NAMES.map((name) => `h.${name}`).join(', ')}
  from (${daysOfStatus('$4::date::timestamp')}) h where h.total > 0
  ${KEPT}`);

/** Of the architecture $1 as it is on the day $2. */
export const KEEP_STATUSES_OF_TODAY = command(`
  insert into status_days as kept (day, suite, arch, ${VERDICT_NAMES.join(', ')})
  select $2::date, s.suite, $1::text,
    ${VERDICT_NAMES.map((name) => `count(*) filter (where s.verdict = '${name}')`).join(', ')}
  from package_statuses s where s.arch = $1 and ${IS_PRESENT('s')} group by s.suite
  ${KEPT}`);

const AS_ASKED = `d.day >= $1::date and ($2::text is null or d.suite = $2) and ($3::text is null or d.arch = $3)`;
const sum = (name: string, type: string): string => `coalesce(sum(d.${name}), 0)::${type}`;

export const RUN_DAYS = statement(
  {
    day: text.from(dayText('d.day')),
    verdict: text.as<PackageVerdict>(),
    runs: integer,
    timedRuns: integer,
    testSeconds: bigint,
    startedRuns: integer,
    waitSeconds: bigint,
    beganInQuarter: integer,
    beganInHour: integer,
    beganInSixHours: integer,
    beganInDay: integer,
  } satisfies ColumnsOf<RunsOfDay>,
  `
  select ${dayText('d.day')} as day, d.verdict, ${sum('runs', 'integer')} as runs,
    ${sum('timed_runs', 'integer')} as "timedRuns", ${sum('test_seconds', 'bigint')} as "testSeconds",
    ${sum('started_runs', 'integer')} as "startedRuns", ${sum('wait_seconds', 'bigint')} as "waitSeconds",
    ${sum('began_in_quarter', 'integer')} as "beganInQuarter", ${sum('began_in_hour', 'integer')} as "beganInHour",
    ${sum('began_in_six_hours', 'integer')} as "beganInSixHours", ${sum('began_in_day', 'integer')} as "beganInDay"
  from run_days d where ${AS_ASKED} group by d.day, d.verdict order by d.day, d.verdict`,
);

const PACKAGE_COUNTS = { day: text, pass: integer, neutral: integer, fail: integer, tmpfail: integer };

/** The newest row of each place; one that has none in a month has no packages any more. */
const NEWEST = `
  select distinct on (d.suite, d.arch) d.suite, d.arch, d.day, ${VERDICT_NAMES.map((name) => `d.${name}`).join(', ')}
  from status_days d where d.day >= ${TODAY} - 30 order by d.suite, d.arch, d.day desc`;

/** Of today each place counts as it was seen last: in the first minutes of a day, some were not looked at yet. */
export const STATUS_DAYS = statement(
  PACKAGE_COUNTS satisfies ColumnsOf<PackagesOfDay>,
  `
  with counted as (
    select suite, arch, day, ${VERDICT_NAMES.join(', ')} from status_days where day < ${TODAY}
    union all
    select suite, arch, ${TODAY}, ${VERDICT_NAMES.join(', ')} from (${NEWEST}) n
  )
  select ${dayText('d.day')} as day, ${VERDICT_NAMES.map((name) => `${sum(name, 'integer')} as ${name}`).join(', ')}
  from counted d where ${AS_ASKED} group by d.day order by d.day`,
);

export const PLACES = statement(
  { ...PACKAGE_COUNTS, suite: text, arch: text } satisfies ColumnsOf<PackagesOfPlace>,
  `
  select n.suite, n.arch, ${dayText('n.day')} as day, ${VERDICT_NAMES.map((name) => `n.${name}`).join(', ')}
  from (${NEWEST}) n order by n.suite, n.arch`,
);
