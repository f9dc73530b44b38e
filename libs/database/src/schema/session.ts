import { setTimeout as pause } from 'node:timers/promises';
import { QueryFailedError, type QueryRunner } from 'typeorm';

/** Options of `migrate`. */
export interface MigrateOptions {
  /** Receives a line about each long step. */
  progress?: (line: string) => void;
  /** The names of the migrations to run, for the schema of an earlier version; by default all. */
  upTo?: string[];
  /** How long the migration tries to get a lock before it gives up, in milliseconds. */
  lockPatienceMs?: number;
}

/**
 * An exclusive lock blocks all later clients, even while the migration only waits for it. So a step waits this long
 * for all its locks together, and then lets the others go first.
 */
const LOCK_WAIT_MS = 300;

const LOCK_PATIENCE_MS = 10 * 60_000;

/** The pause between two tries, partly random so that two processes do not try in step. */
const PAUSE_MS = 500;

/** PostgreSQL's codes for a lock that was not granted in time, and for a deadlock. */
const NOT_LOCKED = ['55P03', '40P01'];

/**
 * A table was in use for longer than a migration may wait. Finished steps stay; the next call continues or repeats
 * them.
 */
export class TableInUse extends Error {
  override readonly name = 'TableInUse';
}

/** Prepares the connection of a migration. */
export async function prepareSession(runner: QueryRunner, options: MigrateOptions): Promise<void> {
  runner.data['options'] = options;
  await runner.query(`select set_config(name, value, false) from (values
      ('lock_timeout', '${LOCK_WAIT_MS}'), ('statement_timeout', '0'), ('transaction_timeout', '0'),
      ('idle_in_transaction_session_timeout', '0'), ('maintenance_work_mem', '256MB')) as wanted(name, value)
    where exists (select from pg_settings s where s.name = wanted.name)`);
}

export function logProgress(runner: QueryRunner, line: string): void {
  optionsOf(runner).progress?.(line);
}

/**
 * Repeats `work` while it fails for lack of a lock.
 * @param work must be safe to repeat
 * @throws TableInUse if the patience is over
 */
export async function patiently<T>(runner: QueryRunner, work: () => Promise<T>): Promise<T> {
  const until = performance.now() + (optionsOf(runner).lockPatienceMs ?? LOCK_PATIENCE_MS);
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isNotLocked(error)) throw error;
      if (performance.now() >= until) throw new TableInUse(await whoIsInTheWay(runner), { cause: error });
    }
    await pause(PAUSE_MS * (0.5 + Math.random()));
  }
}

/**
 * Runs `work` in a transaction that has the tables, and everything else that it locks, for itself. Other clients wait
 * meanwhile, so `work` may only change the catalogue.
 * @throws TableInUse as `patiently`
 */
export function briefly<T>(runner: QueryRunner, tables: string[], work: () => Promise<T>): Promise<T> {
  return patiently(runner, () =>
    transaction(runner, async () => {
      // This lock excludes only vacuum and similar commands: no other transaction has to wait for it.
      await runner.query('set local lock_timeout = 0');
      for (const table of tables) await runner.query(`lock table ${table} in share update exclusive mode`);
      await runner.query(`set local lock_timeout = ${Math.ceil(LOCK_WAIT_MS / Math.max(1, tables.length))}`);
      for (const table of tables) await runner.query(`lock table ${table} in access exclusive mode`);
      return work();
    }),
  );
}

/** Runs `work` without a limit on lock waits. It may take only locks that readers and writers do not wait for. */
export async function waiting<T>(runner: QueryRunner, work: () => Promise<T>): Promise<T> {
  await runner.query('set lock_timeout = 0');
  try {
    return await work();
  } finally {
    await runner.query(`set lock_timeout = ${LOCK_WAIT_MS}`);
  }
}

/** Commits when the work resolves, else rolls back. */
export async function transaction<T>(runner: QueryRunner, work: () => Promise<T>): Promise<T> {
  await runner.startTransaction();
  try {
    const result = await work();
    await runner.commitTransaction();
    return result;
  } catch (error) {
    // A lost connection is rolled back by the server; the first error has more information.
    await runner.rollbackTransaction().catch(() => undefined);
    throw error;
  }
}

export async function select<Row>(
  runner: QueryRunner,
  statement: string,
  parameters: unknown[] = [],
): Promise<Row[]> {
  return (await runner.query(statement, parameters, true)).records as Row[];
}

function optionsOf(runner: QueryRunner): MigrateOptions {
  return (runner.data['options'] as MigrateOptions | undefined) ?? {};
}

function isNotLocked(error: unknown): boolean {
  if (!(error instanceof QueryFailedError)) return false;
  return NOT_LOCKED.includes(String((error.driverError as { code?: unknown }).code));
}

async function whoIsInTheWay(runner: QueryRunner): Promise<string> {
  const others = await select<{ line: string }>(runner, LONG_TRANSACTIONS);
  const list = others.length === 0 ? 'none is open now' : others.map(({ line }) => line).join('; ');
  return `A table was in use each time the migration needed it for a moment. End what holds it and migrate again. Transactions older than a second: ${list}`;
}

const LONG_TRANSACTIONS = `
  select format('process %s (%s, %s) since %s: %s', pid, coalesce(nullif(application_name, ''), 'unnamed'), state,
    date_trunc('second', xact_start), left(regexp_replace(query, '\\s+', ' ', 'g'), 80)) as line
  from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid() and xact_start < now() - interval '1 second'
  order by xact_start`;
