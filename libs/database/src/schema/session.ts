import { setTimeout as pause } from 'node:timers/promises';
import { QueryFailedError, type QueryRunner } from 'typeorm';

/** What the caller of `migrate` may set. */
export interface MigrateOptions {
  /** Receives a line about each long step. */
  progress?: (line: string) => void;
  /** These alone, of those that there are: the schema of an earlier version. */
  upTo?: string[];
  /** For how long a lock is tried for before the migration gives up, in milliseconds. */
  lockPatienceMs?: number;
}

/**
 * A lock that excludes others makes all wait that come later, also while it is only waited for. So all locks of a
 * step are waited for this long together, then all others go first.
 */
const LOCK_WAIT_MS = 300;

const LOCK_PATIENCE_MS = 10 * 60_000;

/** Between two tries; some of it is drawn, so as not to meet the rhythm of another process. */
const PAUSE_MS = 500;

/** PostgreSQL's codes for a lock that was not got in time, and for a circle of waiters that was broken up. */
const NOT_LOCKED = ['55P03', '40P01'];

/** A table was in use for longer than a migration may wait; what it had done stays, or is undone by the next try. */
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
 * Does the work again while it fails for lack of a lock.
 * @param work leaves nothing half done that it would not find when it is done again
 * @throws TableInUse
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
 * Does the work in a transaction that has the tables for itself, and for what else it locks. What comes meanwhile
 * waits: the work only changes what the catalogue says.
 * @throws TableInUse
 */
export function briefly<T>(runner: QueryRunner, tables: string[], work: () => Promise<T>): Promise<T> {
  return patiently(runner, () =>
    transaction(runner, async () => {
      // This lock excludes vacuum and the like alone: waiting for it makes no other transaction wait.
      await runner.query('set local lock_timeout = 0');
      for (const table of tables) await runner.query(`lock table ${table} in share update exclusive mode`);
      await runner.query(`set local lock_timeout = ${Math.ceil(LOCK_WAIT_MS / Math.max(1, tables.length))}`);
      for (const table of tables) await runner.query(`lock table ${table} in access exclusive mode`);
      return work();
    }),
  );
}

/** Does what takes no lock that excludes readers or writers, and may wait for one of its own. */
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
    // A lost connection has rolled back by itself; the first error says more.
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
  const found = others.length === 0 ? 'none is open now' : others.map(({ line }) => line).join('; ');
  return `A table was in use each time the migration needed it for a moment. End what holds it and migrate again. Transactions older than a second: ${found}`;
}

const LONG_TRANSACTIONS = `
  select format('process %s (%s, %s) since %s: %s', pid, coalesce(nullif(application_name, ''), 'unnamed'), state,
    date_trunc('second', xact_start), left(regexp_replace(query, '\\s+', ' ', 'g'), 80)) as line
  from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid() and xact_start < now() - interval '1 second'
  order by xact_start`;
