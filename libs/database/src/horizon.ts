import type { Statements } from './database';

/**
 * `updated_at` is drawn from PostgreSQL's clock inside the writing transaction, and rows of different transactions
 * become visible in another order than that. A reader who asks "what is new since t" must not be told a t that a
 * transaction still under way can write below. So a writer announces itself before it reads the clock, and a reader
 * takes its horizon before it reads rows. It hands out whole seconds up to the horizon only. Nothing is missed:
 *
 * Let H be a whole second that a reader handed out, and W a transaction that wrote a row with `updated_at` u < H. The
 * reader drew its clock C first (C >= H), then looked at the locks, then took the snapshot for its rows.
 * - W held its lock on second s when the reader looked. W drew s before u, so s <= u < H; but H is at most every
 *   second held. Impossible.
 * - W took its lock after the reader looked. W drew u after that, so u >= C >= H, also after u is cut to a
 *   millisecond, H being a whole second. Impossible.
 * - So W had let go of its lock when the reader looked. Locks go after the commit is visible: the reader's snapshot,
 *   taken later, has the row.
 * All of this holds while PostgreSQL's clock does not step back. A writer blocks nobody: its lock is shared, and nobody
 * takes it otherwise. One that hangs holds the horizon back, for as long as a transaction may take, and then repeats
 * rows, which readers must expect.
 */

/** Advisory lock keys of writers are this number in the upper 32 bits and the second in the lower ones. */
const ANNOUNCEMENTS = 1_347_571_523;

/** The time that a statement writes: one for all its rows. Only after `announceUpdate` may it go into `updated_at`. */
export const CLOCK = `clock as materialized (select date_trunc('milliseconds', clock_timestamp()) as now)`;

/** Must be the statement before the first that draws `updated_at` in its transaction. */
export async function announceUpdate(transaction: Statements): Promise<void> {
  await transaction.query(
    `select pg_advisory_xact_lock_shared(
       (${ANNOUNCEMENTS}::bigint << 32) + floor(extract(epoch from clock_timestamp()))::bigint)`,
  );
}

/** The whole second, UNIX time, below which every row that will ever exist is visible from now on. */
export async function horizon(statements: Statements): Promise<number> {
  // The time of the statement's arrival is fixed before it looks at the locks.
  const [row] = await statements.query<{ second: number }>(
    `select floor(least(extract(epoch from statement_timestamp()), min(objid::bigint)))::float8 as second
     from pg_locks
     where locktype = 'advisory' and classid = ${ANNOUNCEMENTS} and objsubid = 1
       and database = (select oid from pg_database where datname = current_database())`,
  );
  return row!.second;
}

/**
 * What a reader may ask for next: just above the last row, so that an idle reader gets nothing twice, but never above
 * the horizon and never below what it asked for.
 * @param since UNIX seconds as asked
 * @param last the newest row's `updated_at`; null when there was no row
 */
export function until(since: number, last: Date | null, horizonSecond: number): number {
  if (last === null) return Math.floor(since);
  const aboveLast = Math.floor(last.getTime() / 1000) + 1;
  return Math.max(Math.floor(since), Math.min(aboveLast, horizonSecond));
}
