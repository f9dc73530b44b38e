import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { BoundedClient, rowsOf } from './bounded-client';
import type { DatabaseLimits } from './limits';
import { boolean, integer, statement, text } from './statement';
import { errorCode, asUnavailable, DatabaseUnavailable } from './unavailable';

/** The identity of a transaction on its server. */
export interface TransactionIdentity {
  /** The result of `serverOf`; null when unknown. */
  server: string | null;
  /** The result of `pg_current_xact_id()`. */
  id: string;
  /** The server process that executes it. */
  processId: number;
}

/** How a transaction ended. */
export type End = 'committed' | 'aborted' | 'unknown';

interface Result<Row> {
  command: string;
  rows: Row[];
}

const logger = new Logger('Database');
const SEARCH_AGAIN_AFTER_MS = 25;
const INSUFFICIENT_PRIVILEGE = '42501';

/**
 * Identifies a server: its cluster; its timeline, which changes when a copy takes over or an earlier state is
 * restored; its start time; and the time since when it has forgotten nothing (see UP_SINCE). Both times are included
 * because the clock may have been set back between them. On any other server the same transaction id may belong to
 * another transaction, or to none yet.
 */
const SERVER = `
  case when not pg_is_in_recovery() then
    (select system_identifier from pg_control_system()) || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8)
      || '/' || extract(epoch from pg_postmaster_start_time())
      || '/' || extract(epoch from pg_stat_get_bgwriter_stat_reset_time())
  end`;

/** Reads the identity of the server. @returns null for a standby, or if the role may not read it */
export async function serverOf(client: BoundedClient): Promise<string | null> {
  try {
    const { rows } = (await client.query(`select ${SERVER} as server`)) as Result<{ server: string | null }>;
    return rows[0]!.server;
  } catch (error) {
    if (errorCode(error) === INSUFFICIENT_PRIVILEGE) return null;
    throw error;
  }
}

/**
 * Begins a transaction and reads its identity. Statements of the transaction may be sent before the answer: if the
 * transaction does not begin, the server executes none of them.
 */
export async function startTransaction(client: BoundedClient): Promise<TransactionIdentity> {
  const begin = client.query(BEGIN) as Promise<unknown>;
  const [outcome, identity] = await Promise.allSettled([begin, rowsOf(client, IDENTITY)]);
  if (outcome.status === 'rejected') throw outcome.reason;
  if (identity.status === 'rejected') throw identity.reason;
  const { id, processId } = identity.value[0]!;
  return { id, processId, server: client.server };
}

/** @throws the error of pg; an Error if the server rolled back instead */
export async function commit(client: BoundedClient): Promise<void> {
  const { command } = (await client.query('commit')) as Result<unknown>;
  // When a statement of the transaction has failed, the commit succeeds and rolls back.
  if (command !== 'COMMIT') throw new Error(`the transaction was not committed: ${command}`);
}

/** Reads how a transaction ended, on one connection, which does not survive a crash of its server. */
export interface CommitWitness {
  /** See `serverOf`. */
  server(): Promise<string | null>;
  /** The result of `pg_xact_status`. @throws an error of pg if the server has not reached this id */
  statusOf(id: string): Promise<string | null>;
  /** Ends the server process of the transaction, unless the process now executes another transaction. */
  terminate(transaction: TransactionIdentity): Promise<void>;
  end(): Promise<void>;
}

/**
 * Finds how a transaction ended whose commit was not answered, on a separate connection. If the transaction is still
 * open, ends it: its client has given it up, and its end is certain then. Tries again until the time is over.
 * @param open opens a connection that waits this many milliseconds for each answer
 */
export async function endOf(
  transaction: TransactionIdentity,
  open: (timeoutMs: number) => Promise<CommitWitness>,
  limits: Pick<DatabaseLimits, 'commitSearchTimeoutMs'>,
): Promise<End> {
  if (transaction.server === null) return 'unknown';
  const deadlineMs = performance.now() + limits.commitSearchTimeoutMs;
  for (let leftMs = limits.commitSearchTimeoutMs; leftMs > 0; leftMs = deadlineMs - performance.now()) {
    const end = await searchFor(transaction, open, leftMs).catch((error: unknown) => {
      if (asUnavailable(error) instanceof DatabaseUnavailable) return null;
      // The caller must learn that the end is unknown, whatever error the server gave.
      logger.warn(`what became of transaction ${transaction.id} is not known: ${String(error)}`);
      return 'unknown' as const;
    });
    if (end !== null) return end;
    await delay(SEARCH_AGAIN_AFTER_MS);
  }
  return 'unknown';
}

/** @returns null while the transaction is open */
async function searchFor(
  transaction: TransactionIdentity,
  open: (timeoutMs: number) => Promise<CommitWitness>,
  timeoutMs: number,
): Promise<End | null> {
  const witness = await open(timeoutMs);
  try {
    // The id means something else on another server, and on the same server after a crash.
    if ((await witness.server()) !== transaction.server) return 'unknown';
    const status = await witness.statusOf(transaction.id);
    if (status === 'committed' || status === 'aborted') return status;
    if (status !== 'in progress') return 'unknown';
    await witness.terminate(transaction);
    return null;
  } finally {
    await witness.end();
  }
}

/** Opens a separate connection to the server at the address. */
export async function witnessAt(url: string, timeoutMs: number): Promise<CommitWitness> {
  const client = new BoundedClient({
    connectionString: url,
    application_name: 'proctor commit search',
    connectionTimeoutMillis: timeoutMs,
    answerTimeoutMs: timeoutMs,
  });
  // If the connection breaks, the statements fail too.
  client.on('error', () => undefined);
  await client.connect().catch(async (error: unknown) => {
    await client.end();
    throw error;
  });
  return {
    server: () => serverOf(client),
    statusOf: async (id) => {
      const { rows } = (await client.query(STATUS, [id])) as Result<{ status: string | null }>;
      return rows[0]!.status;
    },
    terminate: async ({ processId, id }) => {
      await (client.query(TERMINATE, [processId, id]) as Promise<unknown>);
    },
    end: async () => {
      await (client.end() as Promise<unknown>);
    },
  };
}

/**
 * Each statement reads what was committed when it began, whatever the default of the database is: see horizon.ts.
 * `deferrable` has no effect on such a transaction: it marks the transaction, so that the next statement can check
 * that it is inside of it.
 */
const BEGIN = 'begin isolation level read committed deferrable';

/**
 * Outside of a transaction, each following statement would be committed alone. So this statement ends the connection
 * in that case, before the server reads them.
 */
const IDENTITY = statement(
  { id: text, processId: integer, isEnded: boolean.orNull },
  `
  select pg_current_xact_id()::text as id, pg_backend_pid() as "processId",
    case when current_setting('transaction_deferrable') = 'off' then pg_terminate_backend(pg_backend_pid()) end as "isEnded"`,
).asPrepared;

const STATUS = `select pg_xact_status($1::text::xid8) as status`;

/** Ends the process only if it still executes this transaction. */
const TERMINATE = `
  select pg_terminate_backend(pid) from pg_stat_activity where pid = $1 and backend_xid = $2::text::xid8::xid`;
