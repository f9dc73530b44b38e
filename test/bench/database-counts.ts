import { readdir, readFile } from 'node:fs/promises';
import type { Client } from 'pg';

/** Linux counts processor time in hundredths of a second. */
const TICK_MS = 10;

/** What PostgreSQL has done, and processor time; all of it only rises. */
export interface Counts {
  /** Transactions that have written something, and were given an id for that. */
  commits: number;
  /** Bytes. */
  wal: number;
  statements: number;
  /** Versions of rows, and entries of indexes, that were made. */
  rows: number;
  /** Milliseconds of processor time, by process. */
  processor: Record<string, number>;
}

/** @param pids by name; of `postgres` with all its children */
export async function countsOf(client: Client, pids: Record<string, number>): Promise<Counts> {
  const { rows } = await client.query<{ commits: string; wal: string; statements: string; rows: string }>(
    COUNTS,
  );
  const processor: Record<string, number> = {};
  for (const [name, pid] of Object.entries(pids)) processor[name] = await processorMs(pid);
  const [row] = rows;
  return {
    commits: Number(row!.commits),
    wal: Number(row!.wal),
    statements: Number(row!.statements),
    rows: Number(row!.rows),
    processor,
  };
}

/** Asked for by a connection of its own: it counts itself once, as a statement and a commit. */
const COUNTS = `
  select pg_current_xact_id()::text::bigint as commits, pg_current_wal_insert_lsn() - '0/0'::pg_lsn as wal,
    (select coalesce(sum(calls), 0) from pg_stat_statements) as statements,
    (select sum(n_tup_ins + n_tup_upd) from pg_stat_user_tables) as rows`;

export function difference(before: Counts, after: Counts): Counts {
  const processor = Object.fromEntries(
    Object.entries(after.processor).map(([name, ms]) => [name, ms - (before.processor[name] ?? 0)]),
  );
  return {
    commits: after.commits - before.commits,
    wal: after.wal - before.wal,
    statements: after.statements - before.statements,
    rows: after.rows - before.rows,
    processor,
  };
}

/** The processor time of a process and its children, including children that have ended, in milliseconds. */
async function processorMs(pid: number): Promise<number> {
  let ticks = 0;
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const stat = await readFile(`/proc/${entry}/stat`, 'utf8').catch(() => '');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [parent, user, system, endedUser, endedSystem] = [1, 11, 12, 13, 14].map((at) =>
      Number(fields[at]),
    );
    if (Number(entry) === pid) ticks += user! + system! + endedUser! + endedSystem!;
    else if (parent === pid) ticks += user! + system!;
  }
  return ticks * TICK_MS;
}
