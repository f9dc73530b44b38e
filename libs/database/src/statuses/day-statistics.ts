import { Injectable } from '@nestjs/common';
import { PACKAGE_VERDICTS } from '@proctor/contracts';
import { columnsOf, upsertChangedRows, without } from '../kit/columns-of';
import { Database } from '../kit/database';
import { IS_PRESENT } from '../kit/list-filter';
import { boolean, type ColumnsOf, command, selectList, snakeCase, statement, text } from '../kit/statement';
import { RunDayRow, StatusDayRow } from '../rows/day';
import { daysOfStatus, isOfPackage } from './status-statements';

/** A filter of figures; null matches all. */
export interface DayFilter {
  suite: string | null;
  arch: string | null;
}

/** The public runs that ended on a day with a verdict, without cancelled ones. */
export type RunsOfDay = Omit<RunDayRow, 'suite' | 'arch'>;

/** The number of packages with each status at the end of a day; today's figures are as of now. */
export type PackagesOfDay = Omit<StatusDayRow, 'suite' | 'arch'>;

/** The newest such figures of one suite and architecture. */
export type PackagesOfPlace = StatusDayRow;

/** The number of days that one step computes from the runs. */
const DAYS_PER_STEP = 28;

/**
 * Figures of each day: how many runs ended and how, how long they waited and took, and how many packages passed. The
 * figures of the last two days are computed repeatedly; those of earlier days once more and then never, so they stay
 * when the runs are removed.
 */
@Injectable()
export class DayStatistics {
  constructor(private readonly database: Database) {}

  /**
   * Computes figures of an architecture from the present rows: a repetition, or two processes, change nothing.
   * @returns whether more days can be computed at once
   */
  async step(arch: string): Promise<boolean> {
    const [progress] = await this.database.query(DAYS_LEFT, [arch, DAYS_PER_STEP]);
    // The projection of statuses must begin first.
    if (!progress) return false;
    const { closedDay, nextDay, lastDay, isPast, today, hasMore } = progress;
    if (!isPast) {
      await this.database.transaction(async (transaction) => {
        await transaction.query(LOCK_DAYS, [arch]);
        await transaction.query(KEEP_RUN_DAYS, [arch, nextDay, today]);
        await transaction.query(KEEP_STATUSES_OF_TODAY, [arch, today]);
      });
      return false;
    }
    const suites = await this.database.query(SUITES, [arch]);
    await this.database.transaction(async (transaction) => {
      await transaction.query(LOCK_DAYS, [arch]);
      await transaction.query(KEEP_RUN_DAYS, [arch, nextDay, lastDay]);
    });
    const days = 1 + (Date.parse(lastDay) - Date.parse(nextDay)) / 86_400_000;
    for (const { suite } of suites) await this.database.query(KEEP_STATUS_DAYS, [suite, arch, days, nextDay]);
    await this.database.query(CLOSE_DAYS, [arch, lastDay, closedDay]);
    return hasMore;
  }

  /** The figures of runs, by day; days on which no run ended are absent. @param from `YYYY-MM-DD` */
  runs(from: string, { suite, arch }: DayFilter): Promise<RunsOfDay[]> {
    return this.database.query(RUN_DAYS, [from, suite, arch]);
  }

  /** The figures of packages, by day. @param from `YYYY-MM-DD` */
  packages(from: string, { suite, arch }: DayFilter): Promise<PackagesOfDay[]> {
    return this.database.query(STATUS_DAYS, [from, suite, arch]);
  }

  /** The newest figures of packages for each suite and architecture that has any. */
  places(): Promise<PackagesOfPlace[]> {
    return this.database.query(PLACES);
  }
}

/** The SQL condition of a public run of $1 that was not cancelled and tested a package. */
const COUNTS = `r.arch = $1 and r.state = 'finished' and not r.is_private and not r.cancelled and ${isOfPackage('r')}`;

const TODAY = `(now() at time zone 'UTC')::date`;
const dayText = (day: string): string => `coalesce(to_char(${day}, 'YYYY-MM-DD'), '')`;

/**
 * The days of the architecture $1 to compute: up to $2 of the days that ended more than a day before, or else the
 * last two. The first day is that of the run that changed first.
 */
const DAYS_LEFT = statement(
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

/** Locks the days of $1: only one process at a time writes them. */
const LOCK_DAYS = statement(
  { arch: text },
  'select arch from status_progress where arch = $1 for no key update',
);

/**
 * Marks the days up to $2 as final, unless another process has moved the mark from $3 (which may be null) meanwhile.
 */
const CLOSE_DAYS = command(`
  update status_progress set closed_day = $2::date where arch = $1 and closed_day is not distinct from $3::date`);

const AMOUNT_COLUMNS = without(columnsOf(RunDayRow), 'day', 'suite', 'arch', 'verdict');

const began = (span: string): string =>
  `count(*) filter (where r.started_at - r.created_at <= interval '${span}')`;

/** The SQL of the counts in a row of `run_days`, over runs `r`. */
const AMOUNTS = Object.entries({
  runs: 'count(*)',
  timedRuns: 'count(r.duration_seconds)',
  testSeconds: 'coalesce(sum(r.duration_seconds), 0)',
  startedRuns: 'count(r.started_at)',
  waitSeconds: 'coalesce(sum(extract(epoch from r.started_at - r.created_at)), 0)::bigint',
  beganInQuarter: began('15 minutes'),
  beganInHour: began('1 hour'),
  beganInSixHours: began('6 hours'),
  beganInDay: began('1 day'),
} satisfies Record<keyof typeof AMOUNT_COLUMNS, string>);

/**
 * Saves the figures of runs of the architecture $1, from the day $2 to the day $3. A run changes when it ends or
 * later, never before.
 */
const KEEP_RUN_DAYS = command(`
  with made as materialized (
    select (r.finished_at at time zone 'UTC')::date as day, r.suite, r.verdict,
      ${AMOUNTS.map(([name, amount]) => `${amount} as ${snakeCase(name)}`).join(', ')}
    from runs r
    where ${COUNTS} and r.updated_at >= $2::date::timestamp at time zone 'UTC'
      and r.finished_at >= $2::date::timestamp at time zone 'UTC'
      and r.finished_at < ($3::date + 1)::timestamp at time zone 'UTC'
    group by 1, 2, 3
  ), gone as (
    delete from run_days d where d.arch = $1 and d.day between $2::date and $3::date and not exists (
      select from made m where m.day = d.day and m.suite = d.suite and m.verdict = d.verdict)
  )
  insert into run_days as kept (arch, day, suite, verdict, ${AMOUNTS.map(([name]) => snakeCase(name)).join(', ')})
  select $1::text, m.* from made m
  ${upsertChangedRows(RunDayRow)}`);

/** The list of `say` for each verdict that a package can have. */
const ofVerdicts = (say: (verdict: string) => string): string => PACKAGE_VERDICTS.map(say).join(', ');
const COUNTED = ofVerdicts((verdict) => verdict);

const SUITES = statement(
  { suite: text },
  'select s.suite from package_statuses s where s.arch = $1 group by s.suite order by s.suite',
);

/** Saves the figures of packages of the suite $1 and architecture $2, for $3 days from the day $4 on. */
const KEEP_STATUS_DAYS = command(`
  insert into status_days as kept (day, suite, arch, ${COUNTED})
  select (h.date at time zone 'UTC')::date, $1::text, $2::text, ${ofVerdicts((verdict) => `h.${verdict}`)}
  from (${daysOfStatus('$4::date::timestamp')}) h where h.total > 0
  ${upsertChangedRows(StatusDayRow)}`);

/** Saves the present figures of packages of the architecture $1 for the day $2. */
const KEEP_STATUSES_OF_TODAY = command(`
  insert into status_days as kept (day, suite, arch, ${COUNTED})
  select $2::date, s.suite, $1::text,
    ${ofVerdicts((verdict) => `count(*) filter (where s.verdict = '${verdict}')`)}
  from package_statuses s where s.arch = $1 and ${IS_PRESENT('s')} group by s.suite
  ${upsertChangedRows(StatusDayRow)}`);

const AS_ASKED = `d.day >= $1::date and ($2::text is null or d.suite = $2) and ($3::text is null or d.arch = $3)`;
const sum = (name: string, type: string): string => `coalesce(sum(d.${name}), 0)::${type}`;

const RUN_DAY_COLUMNS = {
  day: text.from(dayText('d.day')),
  ...columnsOf(RunDayRow, 'verdict'),
  ...Object.fromEntries(
    Object.entries(AMOUNT_COLUMNS).map(([name, column]) => [
      name,
      column.from(sum(snakeCase(name), column.type)),
    ]),
  ),
} as ColumnsOf<RunsOfDay>;

const RUN_DAYS = statement(
  RUN_DAY_COLUMNS,
  `
  select ${selectList(RUN_DAY_COLUMNS, 'd')}
  from run_days d where ${AS_ASKED} group by d.day, d.verdict order by d.day, d.verdict`,
);

const PACKAGE_COUNTS = { ...columnsOf(StatusDayRow, ...PACKAGE_VERDICTS), day: text };

/** The newest row of each place. A place without a row in a month has no packages left. */
const NEWEST = `
  select distinct on (d.suite, d.arch) d.suite, d.arch, d.day, ${ofVerdicts((verdict) => `d.${verdict}`)}
  from status_days d where d.day >= ${TODAY} - 30 order by d.suite, d.arch, d.day desc`;

/**
 * Packages by verdict for each day. Today's are those of the newest row of each place: in the first minutes of a day,
 * some places have no row of that day yet.
 */
const STATUS_DAYS = statement(
  PACKAGE_COUNTS satisfies ColumnsOf<PackagesOfDay>,
  `
  with counted as (
    select suite, arch, day, ${COUNTED} from status_days where day < ${TODAY}
    union all
    select suite, arch, ${TODAY}, ${COUNTED} from (${NEWEST}) n
  )
  select ${dayText('d.day')} as day, ${ofVerdicts((verdict) => `${sum(verdict, 'integer')} as ${verdict}`)}
  from counted d where ${AS_ASKED} group by d.day order by d.day`,
);

const PLACES = statement(
  { ...PACKAGE_COUNTS, suite: text, arch: text } satisfies ColumnsOf<PackagesOfPlace>,
  `
  select n.suite, n.arch, ${dayText('n.day')} as day, ${ofVerdicts((verdict) => `n.${verdict}`)}
  from (${NEWEST}) n order by n.suite, n.arch`,
);
