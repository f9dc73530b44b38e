import { DATABASE_LIMITS } from '@proctor/database';

/** The header `Last-Modified`, and whether it can be relied upon yet. */
export interface LastModified {
  header: string;
  /** Whether every row of that time and before is visible: else "not modified since" cannot be told. */
  isSettled: boolean;
}

/**
 * For clients that go by the header alone. It has whole seconds, and a row may become visible for as long as a
 * transaction may take after its time was drawn: so the header is ahead of the newest row by that much, or the present
 * second until then.
 * @param newest the latest `updatedAt` of the rows
 */
export function lastModified(newest: Date, now: Date): LastModified {
  const settled = Math.ceil((newest.getTime() + DATABASE_LIMITS.transactionTimeoutMs) / 1000) * 1000;
  const isSettled = settled <= now.getTime();
  return { header: new Date(isSettled ? settled : now).toUTCString(), isSettled };
}
