import type { PackageVerdict } from '@proctor/contracts';
import { WINDOW } from './package-status';
import { LANDMARK_COLUMNS, STATUS_ROW_COLUMNS } from './package-statuses';
import { arraysOf, boolean, certain, command, integer, namesOf, statement, text } from '../kit/statement';
import { columnsOf, upsertChangedRows } from '../kit/columns-of';
import { PackageStatusRow, StatusProgressRow } from '../rows/package-status';
import { RunRow } from '../rows/run';
import { isOfPackage, countsForStatus } from './status-statements';

/** The condition of a public run that was not cancelled, in the form of the index `runs_changes`. */
const SHOWN = (r: string): string => `${r}.state = 'finished' and not ${r}.is_private and not ${r}.cancelled`;

/** The version of the rows that this projection writes. */
const LAYOUT = 2;

/**
 * Creates the progress of the architecture $1, from the second $2 on, if there is none. If an earlier version has
 * written the rows, they will be filled in again.
 */
export const BEGIN_PROGRESS = command(`
  insert into status_progress as kept (arch, second, filled_package, filled_suite, layout)
  values ($1, $2, '', '', ${LAYOUT})
  on conflict (arch) do update set filled_package = '', filled_suite = '', layout = ${LAYOUT} where kept.layout < ${LAYOUT}`);

/** Whether there is work for $1: a run has changed since, or the rows are not filled in by this version. */
export const HAS_NEWS = statement(
  { hasNews: boolean },
  `
  select not exists (
    select from status_progress p where p.arch = $1 and p.layout >= ${LAYOUT} and p.filled_package is null
      and not exists (
        select from runs r where r.arch = $1 and ${SHOWN('r')} and r.updated_at >= to_timestamp(p.second))
  ) as "hasNews"`,
).asPrepared;

/**
 * The progress of the architecture $1, locked: only one process at a time computes its statuses, from the newest
 * rows.
 */
export const PROGRESS = statement(
  columnsOf(StatusProgressRow, 'second', 'filledPackage', 'filledSuite'),
  `
  select second, filled_package as "filledPackage", filled_suite as "filledSuite"
  from status_progress where arch = $1 for no key update`,
);

export const MOVE_PROGRESS = command(
  `update status_progress set second = $2 where arch = $1 and second <> $2`,
);

export const MOVE_FILLED = command(
  `update status_progress set filled_package = $2, filled_suite = $3 where arch = $1`,
);

/** Runs of $1 that changed after the time $2 and the run $3, at most $4. */
export const CHANGED_RUNS = statement(
  columnsOf(RunRow, 'package', 'suite', 'updatedAt', 'runId'),
  `
  select r.package, r.suite, r.updated_at as "updatedAt", r.run_id as "runId" from runs r
  where r.arch = $1 and ${SHOWN('r')} and (r.updated_at, r.run_id) > ($2::timestamptz, $3::bigint)
  order by r.updated_at, r.run_id limit $4`,
).asPrepared;

const BY_PLACE = 'order by r.package, r.suite, r.arch limit 1';
const PUBLIC = `r.state = 'finished' and not r.is_private`;

/**
 * Packages and suites of $1 after the package $2 and suite $3, in this order, at most $4. One row is read for each
 * suite and architecture of a package, however many runs there are.
 */
export const NEXT_PLACES = statement(
  { package: text, suite: text },
  `
  with recursive places(package, suite, arch) as (
    (select r.package, r.suite, r.arch from runs r
      where (r.package, r.suite, r.arch) > ($2, $3, $1) and ${PUBLIC} ${BY_PLACE})
    union all
    select next.package, next.suite, next.arch
    from places p cross join lateral (
      select r.package, r.suite, r.arch from runs r
      where (r.package, r.suite, r.arch) > (p.package, p.suite, p.arch) and ${PUBLIC} ${BY_PLACE}
    ) next
  )
  select package, suite from places where arch = $1 limit $4`,
);

const OF_PLACE = (b: string): string =>
  `${b}.package = w.package and ${b}.suite = w.suite and ${b}.arch = $1`;
const NEWEST_FIRST = (b: string): string => `order by ${b}.finished_at desc, ${b}.run_id desc`;

/** The places of $2 and $3, packages and suites on the architecture $1. */
const WANTED = `(select distinct * from unnest($2::text[], $3::text[]) as given(package, suite)) w`;

/**
 * The most informative runs of each place: the newest, the one before, the last pass, the first failure after it, and
 * the first pass after the newest failure.
 */
export const LANDMARKS = statement(
  LANDMARK_COLUMNS,
  `
  select w.package, w.suite, r.run_id as "runId", ${certain('r.verdict')} as verdict,
    ${certain('r.version')} as version, ${certain('r.finished_at')} as "finishedAt",
    before.verdict as "previousVerdict", pass.run_id as "passedRunId", pass.version as "passedVersion",
    pass.finished_at as "passedAt", failure.run_id as "failingRunId", failure.version as "failingVersion",
    failure.finished_at as "failingAt", failure.trigger as "failingTrigger",
    recovery.run_id as "recoveredRunId", recovery.version as "recoveredVersion",
    recovery.finished_at as "recoveredAt", recovery.trigger as "recoveredTrigger"
  from ${WANTED}
  cross join lateral (
    select * from runs b where ${OF_PLACE('b')} and ${countsForStatus('b')} ${NEWEST_FIRST('b')} limit 1
  ) r
  left join lateral (
    select b.verdict from runs b where ${OF_PLACE('b')} and ${countsForStatus('b')}
      and (b.finished_at, b.run_id) < (r.finished_at, r.run_id) ${NEWEST_FIRST('b')} limit 1
  ) before on true
  left join lateral (
    select b.run_id, b.version, b.finished_at from runs b
    where ${OF_PLACE('b')} and ${countsForStatus('b')} and b.verdict in ('pass', 'neutral') ${NEWEST_FIRST('b')} limit 1
  ) pass on true
  left join lateral (
    select b.run_id, b.version, b.finished_at, b.trigger from runs b
    where ${OF_PLACE('b')} and ${countsForStatus('b')} and b.verdict = 'fail'
      and (b.finished_at, b.run_id) > (coalesce(pass.finished_at, '-infinity'), coalesce(pass.run_id, 0))
    order by b.finished_at, b.run_id limit 1
  ) failure on true
  left join lateral (
    select b.run_id, b.finished_at from runs b
    where ${OF_PLACE('b')} and ${countsForStatus('b')} and b.verdict = 'fail' ${NEWEST_FIRST('b')} limit 1
  ) failed on true
  left join lateral (
    select b.run_id, b.version, b.finished_at, b.trigger from runs b
    where ${OF_PLACE('b')} and ${countsForStatus('b')} and b.verdict in ('pass', 'neutral')
      and (b.finished_at, b.run_id) > (failed.finished_at, failed.run_id)
    order by b.finished_at, b.run_id limit 1
  ) recovery on true`,
);

/**
 * The newest runs of each place, newest first: without `isSaying` those of the strip, with it those that decide the
 * flakiness and durations.
 */
export const NEWEST_RUNS = statement(
  {
    package: text,
    suite: text,
    isSaying: boolean,
    verdict: text.as<PackageVerdict>(),
    version: text,
    durationSeconds: integer.orNull,
    isPinned: boolean,
  },
  `
  select w.package, w.suite, r.is_saying as "isSaying", r.verdict, r.version, r.duration_seconds as "durationSeconds",
    r.is_pinned as "isPinned"
  from ${WANTED}
  cross join lateral (
    (select false as is_saying, b.verdict, b.version, b.duration_seconds, b.finished_at, b.run_id,
      b.pin_packages <> '[]' or b.extra_apt_sources <> '[]' as is_pinned
    from runs b where ${OF_PLACE('b')} and ${SHOWN('b')} and ${isOfPackage('b')} ${NEWEST_FIRST('b')} limit ${WINDOW + 1})
    union all
    (select true, b.verdict, b.version, b.duration_seconds, b.finished_at, b.run_id, false
    from runs b where ${OF_PLACE('b')} and ${countsForStatus('b')} and b.verdict <> 'tmpfail'
    ${NEWEST_FIRST('b')} limit ${2 * WINDOW})
  ) r
  order by w.package, w.suite, r.finished_at desc, r.run_id desc`,
);

const PARAMETERS = Object.keys(STATUS_ROW_COLUMNS).length;

/** Saves rows, given as arrays $1 and so on; the architecture follows. Unchanged rows are not written. */
export const KEEP_STATUSES = command(`
  insert into package_statuses as kept (arch, ${namesOf(STATUS_ROW_COLUMNS)})
  select $${PARAMETERS + 1}, made.* from unnest(${arraysOf(STATUS_ROW_COLUMNS)}) as made
  ${upsertChangedRows(PackageStatusRow)}`);

/** Deletes the statuses of the places in $2 and $3 on $1 that are not in $4 and $5: they have no run that counts. */
export const DROP_STATUSES = command(`
  delete from package_statuses s using ${WANTED}
  where s.arch = $1 and s.package = w.package and s.suite = w.suite
    and not exists (select from unnest($4::text[], $5::text[]) as made(package, suite)
      where made.package = s.package and made.suite = s.suite)`);
