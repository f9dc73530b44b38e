import type { OtherSuite, OtherVersion } from '@proctor/contracts';
import { AS_ASKED } from '../kit/list-filter';
import { RECORD_COLUMNS, type RunRecord } from '../runs/run-columns';
import { integer, jsonb, selectList, statement, text } from '../kit/statement';

/**
 * A run that did not test what was requested: another version of its package than its trigger names, or other
 * packages.
 */
export interface ListedMismatch extends RunRecord {
  otherVersions: OtherVersion[];
  otherSuites: OtherSuite[];
  /** The release from which apt took all packages, because the pins could not be kept; null if that did not happen. */
  fallbackRelease: string | null;
}

/** The condition in the form of the index `runs_mismatches`. */
const MISMATCHED = `r.state = 'finished' and not r.is_private and not r.cancelled and r.version <> 'n/a'
  and position(' ' || r.package || '/' in ' ' || r.trigger) > 0
  and position(' ' || r.package || '/' || r.version || ' ' in ' ' || r.trigger || ' ') = 0`;

/** The condition that the trigger names a version of the package itself. */
const NAMES_VERSION = `exists (
  select from unnest(string_to_array(r.trigger, ' ')) word
  where split_part(word, '/', 1) = r.package and split_part(word, '/', 2) not in ('', '0'))`;

/** The condition in the form of the index `run_testbeds_mismatches`. */
const OTHER_PACKAGES = `t.finished_at is not null and (t.fallback_line is not null or t.other_versions <> '[]')`;
/** The condition in the form of the index `run_testbeds_other_suites`. */
const OTHER_SUITES = `t.finished_at is not null and t.other_suites <> '[]'`;
/** The condition on the runs of these testbeds. */
const COUNTS_FOR_ALL = `r.state = 'finished' and not r.is_private and not r.cancelled`;

const MISMATCH_COLUMNS = {
  ...RECORD_COLUMNS,
  otherVersions: jsonb.as<OtherVersion[]>().from(`coalesce(t.other_versions, '[]')`),
  otherSuites: jsonb.as<OtherSuite[]>().from(`coalesce(t.other_suites, '[]')`),
  fallbackRelease: text.orNull.from('t.fallback_release'),
};

/** The condition of the runs before the run $5, in the order of the index of each part. */
const BEFORE = (finishedAt: string): string => `($5::bigint is null or (${finishedAt}, r.run_id) < (
  select b.finished_at, b.run_id from runs b where b.run_id = $5 and not b.is_private))`;

const MISMATCHED_BY = (packages: string): string => `
    (select r.run_id from run_testbeds t join runs r using (run_id)
      where ${packages} and ${COUNTS_FOR_ALL} and ${AS_ASKED('r')} and ${BEFORE('t.finished_at')}
      order by t.finished_at desc, t.run_id desc limit $4)`;

export const MISMATCHES = statement(
  MISMATCH_COLUMNS,
  `
  select ${selectList(MISMATCH_COLUMNS, 'r')}
  from (
    (select r.run_id from runs r where ${MISMATCHED} and ${NAMES_VERSION} and ${AS_ASKED('r')} and ${BEFORE('r.finished_at')}
      order by r.finished_at desc, r.run_id desc limit $4)
    union ${MISMATCHED_BY(OTHER_PACKAGES)}
    union ${MISMATCHED_BY(OTHER_SUITES)}
  ) found
  join runs r using (run_id) join users u on u.user_id = r.requestor_id left join run_testbeds t using (run_id)
  order by r.finished_at desc, r.run_id desc limit $4`,
);

/**
 * Counts matching runs among the newest $4 of each part: for a rare package, a complete count would read all of them.
 */
export const MISMATCHES_COUNT = statement(
  { count: integer, lookedAt: integer },
  `
  with by_trigger as (
    select r.run_id from runs r where ${MISMATCHED} order by r.finished_at desc, r.run_id desc limit $4
  ), by_packages as (
    select t.run_id from run_testbeds t where ${OTHER_PACKAGES} order by t.finished_at desc, t.run_id desc limit $4
  ), by_suites as (
    select t.run_id from run_testbeds t where ${OTHER_SUITES} order by t.finished_at desc, t.run_id desc limit $4
  )
  select (
    select count(*)::integer from (
      select r.run_id from by_trigger join runs r using (run_id) where ${NAMES_VERSION} and ${AS_ASKED('r')}
      union
      select r.run_id from (table by_packages union table by_suites) t join runs r using (run_id)
      where ${COUNTS_FOR_ALL} and ${AS_ASKED('r')}
    ) found
  ) as count,
  greatest((select count(*) from by_trigger), (select count(*) from by_packages), (select count(*) from by_suites))::integer as "lookedAt"`,
);
