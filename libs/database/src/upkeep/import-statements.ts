import type { PackageVerdict } from '@proctor/contracts';
import { IMPORTED_HASH_MARK } from '../people/api-keys';
import { columnsOf, upsertChangedRows } from '../kit/columns-of';
import {
  arraysOf,
  bigint,
  command,
  integer,
  namesOf,
  nothing,
  type RowOf,
  statement,
  text,
} from '../kit/statement';
import { PackageRow } from '../rows/package';
import { RunRow } from '../rows/run';
import { REQUEST_COLUMNS } from '../runs/run-columns';

export const IMPORT_COLUMNS = {
  ...REQUEST_COLUMNS,
  ...columnsOf(
    RunRow,
    ...(['runId', 'requestorId', 'apiKeyId', 'state', 'cancelled', 'attempt', 'version', 'message'] as const),
    ...([
      'exitCode',
      'worker',
      'durationSeconds',
      'createdAt',
      'updatedAt',
      'startedAt',
      'finishedAt',
    ] as const),
  ),
  verdict: text.as<PackageVerdict>().orNull,
};

/** A run of another service: `queued`, with the attempt 0 when it was never executed, or `finished`. */
export type ImportedRun = RowOf<typeof IMPORT_COLUMNS>;

const NAMES = namesOf(IMPORT_COLUMNS);

/** The attempt is written too, since pages show the log of an attempt. A run that exists stays as it is. */
export const ADD_RUNS = statement(
  { runId: bigint },
  `
  with inserted as (
    insert into runs (${NAMES})
    select ${NAMES} from unnest(${arraysOf(IMPORT_COLUMNS)}) as given(${NAMES})
    on conflict (run_id) do nothing
    returning *
  ),
  attempted as (
    insert into attempts (run_id, attempt, worker, incarnation, slot, epoch, granted_at, started_at, ended_at, outcome,
      verdict, exit_code)
    select run_id, attempt, coalesce(worker, 'unknown'), 'imported', 0, 0, coalesce(started_at, created_at), started_at,
      finished_at, 'finished', verdict, exit_code
    from inserted where attempt > 0
  )
  select run_id as "runId" from inserted`,
).asPrepared;

/**
 * The lowest of the ids $1 that belongs to another run: one of another package, suite, architecture or time. Each is
 * looked up by its id: before the table's first statistics, a join would read all given runs for each run.
 */
export const TAKEN = statement(
  { runId: bigint },
  `
  select r.run_id as "runId"
  from unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::timestamptz[])
    as given(run_id, package, suite, arch, created_at)
  cross join lateral (
    select run_id, package, suite, arch, created_at from runs where run_id = given.run_id offset 0
  ) r
  where (r.package, r.suite, r.arch, r.created_at) <> (given.package, given.suite, given.arch, given.created_at)
  order by r.run_id limit 1`,
);

export const PRESENT = statement(
  { runId: bigint },
  'select run_id as "runId" from runs where run_id = any($1::bigint[])',
);

export const REMOVED = statement(
  { runId: bigint },
  'select run_id as "runId" from removed_runs where run_id = any($1::bigint[])',
);

export const COUNTS = statement(
  { suite: text, arch: text, verdict: text.orNull, runs: bigint },
  `select suite, arch, verdict, count(*) as runs from runs where run_id = any($1::bigint[]) group by suite, arch, verdict`,
);

/** Commands that reserve ids wait for each other. */
export const LOCK_IDS = statement(
  { locked: nothing },
  'select pg_advisory_xact_lock(5787331902415528) as locked',
);

/** A number of ids that requests never reach while one statement is executed. */
const DRAWN_MAX = 100_000;

/**
 * Reserves ids. The sequence cannot be locked, so requests may draw ids meanwhile, and `setval` could return those to
 * the sequence. So `setval` is used only for a distance that requests cannot reach meanwhile; for a shorter distance,
 * the ids are drawn.
 */
export const RESERVE_IDS = statement(
  { last: bigint.orNull },
  `
  select case when $1::bigint - reached.id > ${DRAWN_MAX} then setval(reached.ids, $1::bigint)
    else (
      select max(drawn.id)
      from (select nextval(reached.ids) as id from generate_series(1, $1::bigint - reached.id)) drawn
    ) end as last
  from (
    select ids, coalesce(pg_sequence_last_value(ids), 0) as id
    from (select pg_get_serial_sequence('runs', 'run_id')::regclass as ids) of_runs
  ) reached`,
);

export const NEXT_IDS = statement(
  { runId: bigint },
  `select nextval(pg_get_serial_sequence('runs', 'run_id')::regclass) as "runId" from generate_series(1, $1::integer)`,
);

export const LOCAL_IDS = statement(
  { foreignId: text, localId: bigint },
  `select foreign_id as "foreignId", local_id as "localId" from imported_ids
   where source = $1 and kind = $2 and foreign_id = any($3::text[])`,
);

export const NOTE_IDS = command(`
  insert into imported_ids (source, kind, foreign_id, local_id)
  select $1, $2, * from unnest($3::text[], $4::bigint[]) on conflict do nothing`);

export const ADD_USER = statement(
  { userId: integer },
  `insert into users (name, is_admin, created_at) values ($1, $2, $3) on conflict (name) do nothing
   returning user_id as "userId"`,
);

export const USER_OF_NAME = statement(
  { userId: integer },
  'select user_id as "userId" from users where name = $1',
);

export const ADD_IDENTITY = command(
  'insert into identities (issuer, subject, user_id) values ($1, $2, $3) on conflict do nothing',
);

/** Adds a key. $4 is a digest of another service, or null for a key that cannot be used. */
export const ADD_KEY = statement(
  { keyId: integer },
  `
  insert into api_keys (user_id, name, prefix, key_hash, created_at)
  values ($1, $2, $3, coalesce('${IMPORTED_HASH_MARK}' || $4::text,
    encode(sha256((gen_random_uuid()::text || gen_random_uuid()::text)::bytea), 'hex')), $5)
  returning key_id as "keyId"`,
);

export const KEEP_PACKAGES = command(`
  insert into packages as kept (name, backend, removed, is_public)
  select *, true from unnest($1::text[], $2::text[], $3::boolean[])
  ${upsertChangedRows(PackageRow, { key: ['name'], set: ['backend', 'removed'] })}`);

export const WITHOUT_FILES = statement(
  { runId: bigint },
  `select run_id as "runId" from runs
   where run_id = any($1::bigint[]) and state = 'finished' and log_size is null and artifacts_size is null
     and log_removed_by is null and artifacts_removed_by is null`,
);

export const NOTE_FILES = command(`
  with run as (
    update runs set log_size = $2, artifacts_size = $3 where run_id = $1 returning run_id, attempt
  )
  update attempts a set log_size = $2, artifacts_size = $3 from run where a.run_id = run.run_id and a.attempt = run.attempt`);

/** Statuses and figures of days are built again, from the day $2 on. */
export const MAKE_AGAIN = command(`
  update status_progress set filled_package = '', filled_suite = '', 
    closed_day = case when closed_day is not null then least(closed_day, $2::date - 1) end
  where arch = any($1::text[])`);
