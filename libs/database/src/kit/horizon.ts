import { type Database, type Statements } from './database';
import { bigint, nothing, statement, text } from './statement';
import { DatabaseUnavailable, errorCode } from './unavailable';

/**
 * `updated_at` is drawn from PostgreSQL's clock inside the writing transaction, and rows of different transactions
 * become visible in another order than that; the clock may step back. A reader who asks "what is new since t" must not
 * get a t that a row may still come below. So there is a mark, a whole second in a row of its own that only rises.
 * A writer announces itself by a shared lock that is named by a second at or above the mark, before it draws a time at
 * or above that second and the mark. A reader takes its horizon before it reads rows, and hands out whole seconds up to
 * the horizon only: the mark as it was committed, or the lowest second that is held, if that is lower. Nothing is
 * missed:
 *
 * Let H be a whole second that a reader handed out, and W a transaction that wrote a row with `updated_at` u < H. The
 * reader's first statement saw a mark of at least H and then looked at the locks; its rows come from a snapshot that a
 * later statement took.
 * - W held its lock on second s when the reader looked. H is at most every second held, so H <= s; W drew u at or above
 *   s, so u >= H. Impossible.
 * - W took its lock after the reader looked. The statement that drew u began when W had its lock (transactions are read
 *   committed), so it saw a mark that was committed before the reader looked: u >= H. Impossible.
 * - So W had let go of its lock when the reader looked. Locks go after the commit is visible: the reader's snapshot,
 *   taken later, has the row.
 * No clock is part of this. It holds for a prepared transaction, whose lock stays until it ends, and for a reader that
 * may only read, whose mark others raise.
 *
 * A writer blocks no other: its lock is shared, and never taken otherwise; the mark is read without a lock. One that
 * hangs holds the horizon back, for as long as a transaction may take, and then repeats rows, which readers must
 * expect. The mark follows the clock: a reader that needs a higher one to answer raises it, so once a second at most. While
 * the clock is behind, new rows get the mark as their `updated_at`, and the mark rises by a second every two seconds, so that
 * readers come to rest and the clock catches up.
 */

/** Advisory lock keys of writers are this number in the upper 32 bits and the second in the lower ones. */
const ANNOUNCEMENTS = 1_347_571_523;

/** The SQL of a time that is not below the mark. */
const marked = (time: string): string => `greatest(${time}, (select to_timestamp(second) from horizons))`;

/** The SQL of the second that this transaction has announced; null before. */
const ANNOUNCED = `to_timestamp(nullif(current_setting('proctor.announced', true), '')::float8)`;

/**
 * The times that a statement writes, the same for all its rows: `now` is PostgreSQL's time; `updated` is the value
 * for `updated_at`, after `recordUpdateTime`. The two differ only while the clock is behind.
 */
export const CLOCK = `clock as materialized (
  select date_trunc('milliseconds', now) as now,
    date_trunc('milliseconds', greatest(${marked('now')}, ${ANNOUNCED})) as updated
  from (select run_clock() as now offset 0) drawn)`;

/** Announces the update time. Call it before the first statement of a transaction that sets `updated_at`. */
export async function recordUpdateTime(transaction: Statements): Promise<void> {
  await transaction.query(ANNOUNCE);
}

const ANNOUNCE = statement(
  { locked: nothing, announced: text },
  `
  select pg_advisory_xact_lock_shared((${ANNOUNCEMENTS}::bigint << 32) + second) as locked,
    set_config('proctor.announced', second::text, true) as announced
  from (select floor(extract(epoch from ${marked('run_clock()')}))::bigint as second offset 0) drawn`,
).asPrepared;

/** All rows with an `updated_at` below `second` (UNIX time) are visible; no new ones can appear there. */
export interface Horizon {
  second: number;
  /** Whether raising the mark would raise the horizon. */
  canRise: boolean;
}

export async function horizon(statements: Statements): Promise<Horizon> {
  const [row] = await statements.query(HORIZON);
  const { mark, clock, held: heldMark } = row!;
  return {
    second: Math.min(mark, heldMark ?? mark),
    canRise: (heldMark === null || heldMark > mark) && clock !== mark,
  };
}

/** The snapshot with the mark is taken before the statement reads the locks. */
const HORIZON = statement(
  { mark: bigint, clock: bigint, held: bigint.orNull },
  `
  select coalesce((select second from horizons), 0) as mark, floor(extract(epoch from run_clock()))::bigint as clock,
    (select min(objid::bigint) from pg_locks
     where locktype = 'advisory' and classid = ${ANNOUNCEMENTS} and objsubid = 1
       and database = (select oid from pg_database where datname = current_database())) as held`,
).asPrepared;

const READ_ONLY = '25006';

const RAISE = statement({ raised: nothing }, 'select raise_horizon() as raised').asPrepared;

/**
 * Raises the mark, so that the next horizon can be higher. Does nothing on a read-only copy, which gets its mark from
 * the original.
 */
export async function raiseHorizon(database: Database): Promise<void> {
  try {
    await database.query(RAISE);
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable) || errorCode(error.cause) !== READ_ONLY) throw error;
  }
}

/** The result of `until` without a horizon. */
export function untilAtBest(since: number, last: Date | null): number {
  return until(since, last, Infinity);
}

/**
 * The next time from which a reader should read: just above the last row, so that an idle reader gets no row twice,
 * but never above the horizon and never below `since`.
 * @param since UNIX seconds, as in the reader's query
 * @param last the `updated_at` of the newest row; null without a row
 */
export function until(since: number, last: Date | null, horizonSecond: number): number {
  if (last === null) return Math.floor(since);
  const aboveLast = Math.floor(last.getTime() / 1000) + 1;
  return Math.max(Math.floor(since), Math.min(aboveLast, horizonSecond));
}
