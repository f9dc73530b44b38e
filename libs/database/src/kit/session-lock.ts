import { setTimeout as pause } from 'node:timers/promises';
import { BoundedClient, rowsOf } from './bounded-client';
import type { DatabaseLimits } from './limits';
import { boolean, statement } from './statement';
import { asUnavailable } from './unavailable';

/** A lock under which only one process works at a time, whichever server it is connected to. */
export interface SessionLock {
  /** The key of the advisory lock. */
  key: number;
  /** The name of the connection in PostgreSQL. */
  applicationName: string;
  /** Longest wait for the processes that had the lock before, milliseconds. */
  waitMs: number;
  /** Creates the error for a process that has waited this long. */
  waitedTooLong: () => Error;
}

const POLL_MS = 50;

/**
 * Runs `work` while no other process works under this lock. The lock belongs to a separate connection and ends with
 * it, so a process that dies does not block others. The lock is tried at intervals: a statement that waits would hold
 * a snapshot, and building an index would wait for that.
 * @throws DatabaseUnavailable also if the connection was lost during the work: another process may have started
 * before the work was done
 */
export async function withSessionLock<T>(
  url: string,
  lock: SessionLock,
  limits: Pick<DatabaseLimits, 'connectTimeoutMs' | 'answerTimeoutMs'>,
  work: () => Promise<T>,
): Promise<T> {
  const client = new BoundedClient({
    connectionString: url,
    application_name: lock.applicationName,
    connectionTimeoutMillis: limits.connectTimeoutMs,
    answerTimeoutMs: limits.answerTimeoutMs,
    keepAlive: true,
  });
  // If the connection breaks, the next statement fails.
  client.on('error', () => undefined);
  try {
    await asUnavailableOnError(() => client.connect());
    await take(client, lock);
    const result = await work();
    await asUnavailableOnError(() => rowsOf(client, RELEASE, [lock.key]));
    return result;
  } finally {
    await client.end();
  }
}

const TRY = statement({ isMine: boolean }, 'select pg_try_advisory_lock($1) as "isMine"');
const RELEASE = statement({ wasMine: boolean }, 'select pg_advisory_unlock($1) as "wasMine"');

/** Waits for the lock. @throws the error of `waitedTooLong` when the time is over */
async function take(client: BoundedClient, lock: SessionLock): Promise<void> {
  const endMs = performance.now() + lock.waitMs;
  for (;;) {
    const [row] = await asUnavailableOnError(() => rowsOf(client, TRY, [lock.key]));
    if (row?.isMine) return;
    if (performance.now() >= endMs) throw lock.waitedTooLong();
    await pause(POLL_MS);
  }
}

async function asUnavailableOnError<T>(question: () => Promise<T>): Promise<T> {
  try {
    return await question();
  } catch (error) {
    throw asUnavailable(error);
  }
}
