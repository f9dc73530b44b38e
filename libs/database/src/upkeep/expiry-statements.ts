import type { Verdict } from '@proctor/contracts';
import { columnsOf, upsert } from '../kit/columns-of';
import { ExpiredFileRow, ExpiryProgressRow, RestoreRow } from '../rows/upkeep';
import { countsForStatus } from '../statuses/status-statements';
import {
  bigint,
  boolean,
  certain,
  command,
  integer,
  type RowOf,
  type Statement,
  statement,
  text,
  time,
} from '../kit/statement';

/** A finished run that has files, with the columns that decide whether it may lose them. */
const EXPIRING_COLUMNS = {
  runId: bigint,
  package: text,
  /** The key of a private run; null for a public run. */
  privateKeyId: integer.orNull,
  verdict: text.as<Verdict>(),
  finishedAt: time,
  /** Bytes in the store; null when there is no such file. */
  logSize: bigint.orNull,
  artifactsSize: bigint.orNull,
  /** Whether it keeps everything: it is the newest of its place that finished, passed or failed, or has a note. */
  isKept: boolean,
};

export type ExpiringRun = RowOf<typeof EXPIRING_COLUMNS>;

const LATER = (b: string): string => `(${b}.finished_at, ${b}.run_id) > (r.finished_at, r.run_id)`;
const SAME_PLACE = (b: string): string =>
  `${b}.suite = r.suite and ${b}.arch = r.arch and ${b}.package = r.package`;
const PUBLIC = (b: string): string => `${b}.state = 'finished' and not ${b}.is_private`;

/**
 * The condition that a later run at the place of `r` ended with one of the verdicts. For a run that counts for the
 * status, another that counts; for other public runs, any public one; for a private run, one of its key. Each part
 * has the form of an index; the first part is checked for all public runs, since it matches most.
 */
function isFollowed(verdicts: string): string {
  const such = (b: string): string => (verdicts === '' ? '' : ` and ${b}.verdict in (${verdicts})`);
  return `(
    (not r.is_private
      and exists (select from runs b where ${SAME_PLACE('b')} and ${countsForStatus('b')} and ${LATER('b')}${such('b')}))
    or (not r.is_private and not (${countsForStatus('r')})
      and exists (select from runs b where ${SAME_PLACE('b')} and ${PUBLIC('b')} and ${LATER('b')}${such('b')}))
    or (r.is_private and exists (select from runs b where b.api_key_id = r.api_key_id and b.is_private
      and b.state = 'finished' and ${SAME_PLACE('b')} and ${LATER('b')}${such('b')})))`;
}

/** Whether `r` keeps all its files, whatever its age. */
export const IS_KEPT = `(
  not ${isFollowed('')}
  or (r.verdict in ('pass', 'neutral') and not ${isFollowed(`'pass', 'neutral'`)})
  or (r.verdict = 'fail' and not ${isFollowed(`'fail'`)})
  or exists (select from notes n where n.run_id = r.run_id and n.package = r.package and n.removed_at is null))`;

const PRIVATE_KEY = 'case when r.is_private then r.api_key_id end';

function expiring(condition: string, order: string): Statement<ExpiringRun> {
  return statement(
    EXPIRING_COLUMNS,
    `
    select r.run_id as "runId", r.package, ${PRIVATE_KEY} as "privateKeyId", ${certain('r.verdict')} as verdict, ${certain('r.finished_at')} as "finishedAt",
      r.log_size as "logSize", r.artifacts_size as "artifactsSize", ${IS_KEPT} as "isKept"
    from runs r where ${condition} ${order}`,
  );
}

const OLDEST_FIRST = 'order by r.finished_at, r.run_id';

/**
 * Runs with the content `column` in the store that finished before $1, after the time $2 and the run $3; at most $4.
 */
const aged = (column: string): Statement<ExpiringRun> =>
  expiring(
    `r.${column} is not null and r.finished_at < $1 and (r.finished_at, r.run_id) > ($2::timestamptz, $3::bigint)`,
    `${OLDEST_FIRST} limit $4`,
  );

export const AGED = { artifacts: aged('artifacts_size'), logs: aged('log_size') };

/**
 * Runs of the package $1 with the content `column`, after the time $2 and the run $3, at most $4: private runs of the
 * key $5, or public ones if it is null.
 */
const ofPackage = (column: string): Statement<ExpiringRun> =>
  expiring(
    `r.package = $1 and r.${column} is not null and (r.log_size is not null or r.artifacts_size is not null)
      and (r.finished_at, r.run_id) > ($2::timestamptz, $3::bigint) and ${PRIVATE_KEY} is not distinct from $5::integer`,
    `${OLDEST_FIRST} limit $4`,
  );

export const OF_PACKAGE = { artifacts: ofPackage('artifacts_size'), logs: ofPackage('log_size') };

/** The size of all files of each package; of the packages after $1, $2 at most. */
export const PACKAGE_BYTES = statement(
  { package: text, bytes: bigint },
  `
  select p.name as package, kept.bytes from packages p
  cross join lateral (
    select coalesce(sum(coalesce(r.log_size, 0) + coalesce(r.artifacts_size, 0)), 0)::bigint as bytes from runs r
    where r.package = p.name and (r.log_size is not null or r.artifacts_size is not null)
  ) kept
  where p.name > $1 order by p.name limit $2`,
);

/** The size of all files of the public runs of the package $1, and of the private runs of each key. */
export const BYTES_BY_KEY = statement(
  { privateKeyId: integer.orNull, bytes: bigint },
  `
  select ${PRIVATE_KEY} as "privateKeyId", sum(coalesce(r.log_size, 0) + coalesce(r.artifacts_size, 0))::bigint as bytes
  from runs r where r.package = $1 and (r.log_size is not null or r.artifacts_size is not null)
  group by 1 order by 1 nulls first`,
);

const FILES_OF = (rows: string): string => `
  select distinct f.run_id, f.attempt, named.name
  from (${rows}) f (run_id, attempt, has_log, has_artifacts)
  cross join lateral (values
    ('log.gz', f.has_log), ('log-index.json', f.has_log),
    ('artifacts.tar.gz', f.has_artifacts), ('artifacts-index.json', f.has_artifacts)) named(name, is_there)
  where named.is_there`;

/**
 * Removes the files of the runs $1 from the rows, for all their attempts: logs by the rule $2, artifacts by
 * the rule $3, where those are not null. From then on they are to be removed from the store. What another
 * transaction holds is left for later.
 */
export const REMOVE_FILES = statement(
  { runId: bigint },
  `
  with going as (
    select r.run_id, r.attempt, asked.log_rule, asked.artifacts_rule,
      r.log_size is not null and asked.log_rule is not null as has_log,
      r.artifacts_size is not null and asked.artifacts_rule is not null as has_artifacts
    from runs r join unnest($1::bigint[], $2::text[], $3::text[]) as asked(run_id, log_rule, artifacts_rule) using (run_id)
    where r.state = 'finished' order by r.run_id for no key update of r skip locked
  ), of_attempts as (
    select a.run_id, a.attempt, a.log_size is not null and g.log_rule is not null as has_log,
      a.artifacts_size is not null and g.artifacts_rule is not null as has_artifacts
    from attempts a join going g using (run_id)
  ), kept as (
    insert into expired_files (run_id, attempt, name)
    ${FILES_OF(`
      select run_id, attempt, has_log, has_artifacts from going
      union all select run_id, attempt, has_log, has_artifacts from of_attempts`)}
    on conflict do nothing
  ), emptied as (
    update attempts a set log_size = case when o.has_log then null else a.log_size end,
      artifacts_size = case when o.has_artifacts then null else a.artifacts_size end
    from of_attempts o where a.run_id = o.run_id and a.attempt = o.attempt and (o.has_log or o.has_artifacts)
  )
  update runs r set log_size = case when g.log_rule is null then r.log_size end,
    log_removed_by = case when g.has_log then g.log_rule else r.log_removed_by end,
    artifacts_size = case when g.artifacts_rule is null then r.artifacts_size end,
    artifacts_removed_by = case when g.has_artifacts then g.artifacts_rule else r.artifacts_removed_by end
  from going g where r.run_id = g.run_id
  returning r.run_id as "runId"`,
);

/**
 * The columns that decide whether a story is removed: a run without files loses it, unless it has lost it
 * already.
 */
const STORY_COLUMNS = { runId: bigint, finishedAt: time, hasFiles: boolean, hasStory: boolean };

export type StoryRun = RowOf<typeof STORY_COLUMNS>;

const STORY_RUNS = (condition: string): Statement<StoryRun> =>
  statement(
    STORY_COLUMNS,
    `
    select r.run_id as "runId", ${certain('r.finished_at')} as "finishedAt",
      r.log_size is not null or r.artifacts_size is not null as "hasFiles", r.story_removed_by is null as "hasStory"
    from runs r
    where r.state = 'finished' and ${condition} and r.finished_at < $1
      and r.finished_at >= $2::timestamptz and (r.finished_at, r.run_id) > ($2::timestamptz, $3::bigint)
    order by r.finished_at, r.run_id limit $4`,
  );

/** Runs that finished before $1, after the time $2 and the run $3; at most $4. */
export const STORIES = {
  'public stories': STORY_RUNS('not r.is_private'),
  'private stories': STORY_RUNS('r.is_private'),
};

/**
 * Deletes facts and attempts of the runs among $1 that have no files, by the rule $2. Files of attempts that do not
 * count are removed too.
 */
export const REMOVE_STORIES = statement(
  { runs: integer },
  `
  with going as (
    select r.run_id from runs r where r.run_id = any($1::bigint[]) and r.state = 'finished' and r.story_removed_by is null
      and r.log_size is null and r.artifacts_size is null
    order by r.run_id for no key update of r skip locked
  ), gone as (
    delete from attempts a using going g where a.run_id = g.run_id
    returning a.run_id, a.attempt, a.log_size is not null as has_log, a.artifacts_size is not null as has_artifacts
  ), files as (
    insert into expired_files (run_id, attempt, name) ${FILES_OF('select * from gone')} on conflict do nothing
  ), new_facts as (
    delete from facts f using going g where f.run_id = g.run_id
  ), marked as (
    update runs r set story_removed_by = $2 from going g where r.run_id = g.run_id returning r.run_id
  )
  select count(*)::integer as runs from marked`,
);

export const EXPIRED_FILES = statement(
  columnsOf(ExpiredFileRow),
  `select run_id as "runId", attempt, name from expired_files order by run_id, attempt, name limit $1`,
);

/** Forgets removed files of the runs $1, with their attempts $2 and names $3. */
export const FORGET_FILES = command(`
  delete from expired_files e using unnest($1::bigint[], $2::integer[], $3::text[]) as removed(run_id, attempt, name)
  where e.run_id = removed.run_id and e.attempt = removed.attempt and e.name = removed.name`);

/** The attempts $2 of the runs $1 with files that no row names; $3 and $4 say which files of each are in the store. */
export const WITHOUT_ROWS = statement(
  { nth: integer, noLog: boolean, noArtifacts: boolean },
  `
  select found.nth::integer, found.has_log and not in_rows.has_log as "noLog",
    found.has_artifacts and not in_rows.has_artifacts as "noArtifacts"
  from unnest($1::bigint[], $2::integer[], $3::boolean[], $4::boolean[]) with ordinality
    as found(run_id, attempt, has_log, has_artifacts, nth)
  left join runs r on r.run_id = found.run_id and r.attempt = found.attempt
  left join attempts a on a.run_id = found.run_id and a.attempt = found.attempt
  cross join lateral (select coalesce(r.log_size, a.log_size) is not null as has_log,
    coalesce(r.artifacts_size, a.artifacts_size) is not null as has_artifacts) in_rows
  where (found.has_log and not in_rows.has_log) or (found.has_artifacts and not in_rows.has_artifacts)`,
);

/** A new run gets a higher id. */
export const NEWEST_RUN = statement(
  { runId: bigint },
  `select coalesce(pg_sequence_last_value(pg_get_serial_sequence('runs', 'run_id')::regclass), 0) as "runId"`,
);

/**
 * Ranges of ids that may have been given, before a restore, to runs that are lost: from the first on and below the
 * next.
 */
export const LOST_RUNS = statement(
  columnsOf(RestoreRow, 'firstLostRun', 'nextRun'),
  `select first_lost_run as "firstLostRun", next_run as "nextRun" from restores`,
);

export const MARKS = statement(
  columnsOf(ExpiryProgressRow),
  `select name, at, run_id as "runId" from expiry_progress`,
);

export const KEEP_MARK = command(`
  insert into expiry_progress (name, at, run_id) values ($1, $2, $3) ${upsert(ExpiryProgressRow)}`);

export const NOW = statement({ at: time }, 'select clock_timestamp() as at');

/** The earliest time of a removal, by the clock of the database; set at the first call. */
export const BEGIN = statement(
  { at: time },
  `
  with begun as (
    insert into expiry_progress (name, at) values ('begin', date_trunc('milliseconds', clock_timestamp() + $1 * interval '1 millisecond'))
    on conflict do nothing returning at
  )
  select least(at) as at from begun union all select at from expiry_progress where name = 'begin'`,
);
