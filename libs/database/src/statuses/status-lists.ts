import { Injectable } from '@nestjs/common';
import { Database } from '../kit/database';
import { AS_ASKED, IS_PRESENT, type ListFilter, parametersOf } from '../kit/list-filter';
import { type ListedMismatch, MISMATCHES, MISMATCHES_COUNT } from './mismatch-statements';
import { type PackageStatus, packageStatus, READ_COLUMNS, STATUSES_OF } from './package-statuses';
import { RECORD_COLUMNS, type RunRecord } from '../runs/run-columns';
import { integer, selectList, type Statement, statement, text } from '../kit/statement';

/** The status of a package on one suite and architecture in a list. */
export interface ListedStatus extends PackageStatus {
  /** The message of the newest run that counts. */
  message: string | null;
}

/** A package on one suite and architecture: the key where a page of a list ends. */
export interface PlaceKey {
  package: string;
  suite: string;
  arch: string;
}

/** The key in a list that is sorted by a value: a time, or a number. */
export interface StatusKey extends PlaceKey {
  value: Date | number;
}

/** A package that passes on some architectures of a suite and fails on others. */
export interface SplitSuite {
  package: string;
  suite: string;
  /** The statuses on all architectures of the suite, by name. */
  statuses: PackageStatus[];
}

/** A count up to a limit. */
export interface BoundedCount {
  count: number;
  /** Whether there may be more than were counted. */
  isMore: boolean;
}

/** The number of entries that are counted; a longer list is not counted further. */
const COUNTED_MAX = 10_000;
/** The limit for lists that read rows of several tables or indexes for each entry. */
const GATHERED_MAX = 2_000;

/**
 * Lists of the statuses of all packages, each with its own index, in pages that continue where the last one ended.
 * Based on `package_statuses`, which has only public runs; other data of runs is of public runs too.
 */
@Injectable()
export class StatusLists {
  constructor(private readonly database: Database) {}

  /**
   * Places whose newest run failed, the last to begin failing first. The value of a key is the time when it began to
   * fail.
   */
  failing(filter: ListFilter, limit: number, after: StatusKey | null): Promise<ListedStatus[]> {
    return this.statuses(FAILING, filter, limit, after);
  }

  /** Places whose newest run ended as tmpfail, the latest first. The value of a key is the end of that run. */
  broken(filter: ListFilter, limit: number, after: StatusKey | null): Promise<ListedStatus[]> {
    return this.statuses(BROKEN, filter, limit, after);
  }

  /** Flaky places, the flakiest first. The value of a key is the flakiness. */
  flaky(filter: ListFilter, limit: number, after: StatusKey | null): Promise<ListedStatus[]> {
    return this.statuses(FLAKY, filter, limit, after);
  }

  /** Places whose median duration is at least `secondsMin`, the slowest first. The value of a key is the median. */
  slow(
    filter: ListFilter,
    limit: number,
    after: StatusKey | null,
    secondsMin: number,
  ): Promise<ListedStatus[]> {
    return this.statuses(SLOW, filter, limit, after, secondsMin);
  }

  /**
   * Places that began to fail or passed again at `since` or later and are still so, the latest first. The value of a
   * key is the time of the change.
   */
  listChanged(
    filter: ListFilter,
    limit: number,
    after: StatusKey | null,
    since: Date,
  ): Promise<ListedStatus[]> {
    return this.statuses(CHANGED, filter, limit, after, since);
  }

  /** Suites on which a package passes on some architectures and fails on others, by package and suite. */
  async split(
    filter: ListFilter,
    limit: number,
    after: Pick<PlaceKey, 'package' | 'suite'> | null,
  ): Promise<SplitSuite[]> {
    const { package: name, suite } = after ?? { package: '', suite: '' };
    const places = await this.database.query(SPLIT, [...parametersOf(filter), limit, name, suite]);
    if (places.length === 0) return [];
    const packages = [...new Set(places.map((each) => each.package))];
    const statuses = (await this.database.query(STATUSES_OF, [packages])).map(packageStatus);
    return places.map((each) => ({
      ...each,
      statuses: statuses.filter((status) => status.package === each.package && status.suite === each.suite),
    }));
  }

  /**
   * Waiting public runs, in the order of their queues: by priority, then by arrival.
   * @param after only runs after this one; if it no longer waits, the list is empty
   */
  waiting(filter: ListFilter, limit: number, after: number | null): Promise<RunRecord[]> {
    const parameters = [...parametersOf(filter), limit];
    return after === null
      ? this.database.query(WAITING, parameters)
      : this.database.query(WAITING_AFTER, [...parameters, after]);
  }

  /**
   * Public runs that tested another version than their trigger names, or other packages than requested, newest first.
   * @param before only runs that are older than this one
   */
  mismatches(filter: ListFilter, limit: number, before: number | null): Promise<ListedMismatch[]> {
    return this.database.query(MISMATCHES, [...parametersOf(filter), limit, before]);
  }

  /** The number of entries of a list. @param bound the limit of `slow` or `changed` */
  async count(list: CountedList, filter: ListFilter, ...bound: (Date | number)[]): Promise<BoundedCount> {
    const parameters = [...parametersOf(filter), COUNTED_MAX + 1, ...bound];
    const [row] = await this.database.query(COUNTS[list], parameters);
    return { count: Math.min(row!.count, COUNTED_MAX), isMore: row!.count > COUNTED_MAX };
  }

  /** The number of entries of `split`. */
  async countSplit(filter: ListFilter): Promise<BoundedCount> {
    const [row] = await this.database.query(SPLIT_COUNT, [...parametersOf(filter), GATHERED_MAX + 1]);
    return { count: Math.min(row!.count, GATHERED_MAX), isMore: row!.count > GATHERED_MAX };
  }

  /** The number of mismatches among a limited number of the newest candidates. */
  async countMismatches(filter: ListFilter): Promise<BoundedCount> {
    const [row] = await this.database.query(MISMATCHES_COUNT, [...parametersOf(filter), GATHERED_MAX + 1]);
    return { count: Math.min(row!.count, GATHERED_MAX), isMore: row!.lookedAt > GATHERED_MAX };
  }

  private async statuses(
    list: Statement<ListedRow>,
    filter: ListFilter,
    limit: number,
    after: StatusKey | null,
    ...bound: (Date | number)[]
  ): Promise<ListedStatus[]> {
    const key = [after?.value ?? null, after?.package ?? null, after?.suite ?? null, after?.arch ?? null];
    const rows = await this.database.query(list, [...parametersOf(filter), limit, ...key, ...bound]);
    return rows.map((row) => ({ ...packageStatus(row), message: row.message }));
  }
}

const LISTED_COLUMNS = { ...READ_COLUMNS, message: text.orNull.from('run.message') };

type ListedRow = ReturnType<typeof listed> extends Statement<infer Row> ? Row : never;

/**
 * A statement for the statuses that fulfil a condition, the highest value first, at most $4 after the key in $5 to
 * $8.
 */
function listed(condition: string, value: string, type: string) {
  return statement(
    LISTED_COLUMNS,
    `
    select ${selectList(LISTED_COLUMNS, 's')}
    from (
      select * from package_statuses s where ${condition} and ${AS_ASKED('s')} and ${IS_PRESENT('s')}
        and ($5::${type} is null or (${value} <= $5 and (${value} < $5 or (s.package, s.suite, s.arch) > ($6::text, $7::text, $8::text))))
      order by ${value} desc, s.package, s.suite, s.arch limit $4
    ) s
    left join runs run on run.run_id = s.run_id and not run.is_private
    order by ${value} desc, s.package, s.suite, s.arch`,
  );
}

/** The condition of a place that began to fail and did not pass since, unless its newest run ended as tmpfail. */
const FAILS = `s.failing_run_id is not null and s.verdict <> 'tmpfail'`;
const BREAKS = `s.verdict = 'tmpfail'`;
const IS_SLOW = (bound: string): string =>
  `s.median_seconds is not null and s.median_seconds >= ${bound}::integer`;
const CHANGED_AT = 'greatest(s.failing_at, s.recovered_at)';
const HAS_CHANGED = (bound: string): string =>
  `(s.failing_at is not null or s.recovered_at is not null) and ${CHANGED_AT} >= ${bound}::timestamptz`;

export const FAILING = listed(FAILS, 's.failing_at', 'timestamptz');
export const BROKEN = listed(BREAKS, 's.finished_at', 'timestamptz');
export const FLAKY = listed('s.is_flaky', 's.flakiness', 'double precision');
export const SLOW = listed(IS_SLOW('$9'), 's.median_seconds', 'integer');
export const CHANGED = listed(HAS_CHANGED('$9'), CHANGED_AT, 'timestamptz');

/**
 * The condition of rows that fail while the suite passes elsewhere. Read in the order of the index of failing rows,
 * with one look-up of the suite for each.
 */
const SPLITS = `s.verdict = 'fail' and ${IS_PRESENT('s')} and exists (
  select from package_statuses b
  where b.package = s.package and b.suite = s.suite and b.verdict in ('pass', 'neutral'))`;

/** The entries of `split` after the package $5 and the suite $6. */
export const SPLIT = statement(
  { package: text, suite: text },
  `
  select distinct s.package, s.suite from package_statuses s
  where ${SPLITS} and ${AS_ASKED('s')} and (s.package, s.suite) > ($5, $6)
  order by s.package, s.suite limit $4`,
);

/** Counts at most $4 entries, in the order of the index: the first ones are found without the others. */
export const SPLIT_COUNT = statement(
  { count: integer },
  `
  select count(*)::integer as count
  from (
    select distinct s.package, s.suite from package_statuses s where ${SPLITS} and ${AS_ASKED('s')}
    order by s.package, s.suite limit $4
  ) found`,
);

const WAITS = (r: string): string => `${r}.state = 'queued' and not ${r}.is_private`;
const QUEUE_ORDER = 'order by r.priority desc, r.created_at, r.run_id limit $4';
const OF_WAITING = `select ${selectList(RECORD_COLUMNS, 'r')} from runs r join users u on u.user_id = r.requestor_id
  where ${WAITS('r')} and ${AS_ASKED('r')}`;

/** A statement that counts at most $4 rows of a table; its alias follows its name. */
function countOf(rows: string, condition: string) {
  const [, alias = ''] = rows.split(' ');
  return statement(
    { count: integer },
    `
    select count(*)::integer as count
    from (select from ${rows} where ${condition} and ${AS_ASKED(alias)} limit $4) found`,
  );
}

const statusesCounted = (condition: string) =>
  countOf('package_statuses s', `${condition} and ${IS_PRESENT('s')}`);

const COUNTS = {
  failing: statusesCounted(FAILS),
  broken: statusesCounted(BREAKS),
  flaky: statusesCounted('s.is_flaky'),
  slow: statusesCounted(IS_SLOW('$5')),
  changed: statusesCounted(HAS_CHANGED('$5')),
  waiting: countOf('runs r', WAITS('r')),
};
type CountedList = keyof typeof COUNTS;

const WAITING = statement(RECORD_COLUMNS, `${OF_WAITING} ${QUEUE_ORDER}`);

/** The waiting runs after the run $5. */
const WAITING_AFTER = statement(
  RECORD_COLUMNS,
  `
  ${OF_WAITING} and exists (
    select from runs b where b.run_id = $5 and ${WAITS('b')} and r.priority <= b.priority
      and (r.priority < b.priority or (r.created_at, r.run_id) > (b.created_at, b.run_id)))
  ${QUEUE_ORDER}`,
);
