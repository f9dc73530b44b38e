import { setTimeout as pause } from 'node:timers/promises';
import { BoundedClient, rowsOf } from './bounded-client';
import type { DatabaseLimits } from './limits';
import { boolean, statement } from './statement';
import { asUnavailable } from './unavailable';

/** What one process at a time may do, whatever else it is connected to. */
export interface SessionLock {
  /** Of the advisory lock. */
  key: number;
  /** Shown beside the connection in PostgreSQL. */
  applicationName: string;
  /** Longest wait for those before. */
  waitMs: number;
  /** @returns the error of one who has waited for so long */
  waitedTooLong: () => Error;
}

const POLL_MS = 50;

/**
 * Does the work while no other process does work under this lock. The lock belongs to a connection of its own, and ends with it,
 * so a process that dies does not block others. It is asked for at intervals: a statement that waits would hold a snapshot, for
 * which the building of an index waits.
 * @throws DatabaseUnavailable, also when the connection was lost meanwhile: another process may have begun before the work was
 * done
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
  // What breaks the connection fails the next statement.
  client.on('error', () => undefined);
  try {
    await asked(() => client.connect());
    await take(client, lock);
    const result = await work();
    await asked(() => rowsOf(client, RELEASE, [lock.key]));
    return result;
  } finally {
    await client.end();
  }
}

const TRY = statement({ isMine: boolean }, 'select pg_try_advisory_lock($1) as "isMine"');
const RELEASE = statement({ wasMine: boolean }, 'select pg_advisory_unlock($1) as "wasMine"');

/** @throws what the lock says when the time is over */
async function take(client: BoundedClient, lock: SessionLock): Promise<void> {
  const endMs = performance.now() + lock.waitMs;
  for (;;) {
    const [row] = await asked(() => rowsOf(client, TRY, [lock.key]));
    if (row?.isMine) return;
    if (performance.now() >= endMs) throw lock.waitedTooLong();
    await pause(POLL_MS);
  }
}

async function asked<T>(question: () => Promise<T>): Promise<T> {
  try {
    return await question();
  } catch (error) {
    throw asUnavailable(error);
  }
}
