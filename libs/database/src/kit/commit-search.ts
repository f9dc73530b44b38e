import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { BoundedClient, rowsOf } from './bounded-client';
import type { DatabaseLimits } from './limits';
import { boolean, integer, statement, text } from './statement';
import { errorCode, asUnavailable, DatabaseUnavailable } from './unavailable';

/** A transaction as the server knows it. */
export interface TransactionIdentity {
  /** See `serverOf`; null when that is not known. */
  server: string | null;
  /** pg_current_xact_id(). */
  id: string;
  /** The server process that executes it. */
  processId: number;
}

/** What became of a transaction. */
export type End = 'committed' | 'aborted' | 'unknown';

interface Result<Row> {
  command: string;
  rows: Row[];
}

const logger = new Logger('Database');
const SEARCH_AGAIN_AFTER_MS = 25;
const INSUFFICIENT_PRIVILEGE = '42501';

/**
 * The cluster; its timeline, which changes when a copy takes over or an earlier state is restored; since when it runs; and since
 * when it has forgotten nothing: see UP_SINCE. The two times stand by themselves, since a clock may have been set back between
 * them. Elsewhere a transaction's id may stand for another transaction, or for none yet.
 */
const SERVER = `
  case when not pg_is_in_recovery() then
    (select system_identifier from pg_control_system()) || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8)
      || '/' || extract(epoch from pg_postmaster_start_time())
      || '/' || extract(epoch from pg_stat_get_bgwriter_stat_reset_time())
  end`;

/** @returns null for a standby, and where the role may not ask */
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
 * Begins a transaction and learns who it is. Its statements may be sent before this is answered: should the server not begin,
 * it executes none of them.
 */
export async function startTransaction(client: BoundedClient): Promise<TransactionIdentity> {
  const begun = client.query(BEGIN) as Promise<unknown>;
  const [outcome, identity] = await Promise.allSettled([begun, rowsOf(client, IDENTITY)]);
  if (outcome.status === 'rejected') throw outcome.reason;
  if (identity.status === 'rejected') throw identity.reason;
  const { id, processId } = identity.value[0]!;
  return { id, processId, server: client.server };
}

/** @throws whatever pg throws; an Error when the server rolled back instead */
export async function commit(client: BoundedClient): Promise<void> {
  const { command } = (await client.query('commit')) as Result<unknown>;
  // A transaction in which a statement failed is rolled back by a commit that succeeds.
  if (command !== 'COMMIT') throw new Error(`the transaction was not committed: ${command}`);
}

/** Answers how a transaction ended: one connection, which does not outlive a crash of its server. */
export interface CommitWitness {
  /** See `serverOf`. */
  server(): Promise<string | null>;
  /** As pg_xact_status. @throws for an id that this server has not reached */
  statusOf(id: string): Promise<string | null>;
  /** Ends the server process of the transaction, unless that has gone on to another one. */
  terminate(transaction: TransactionIdentity): Promise<void>;
  end(): Promise<void>;
}

/**
 * Finds how a transaction ended whose commit was not answered, on a connection of its own. One that is still
 * open is ended: its client has given it up, and then its end is certain. Tries again until the time is over.
 * @param open makes a connection that waits so many milliseconds for each answer
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

/** @returns null while it is open */
async function searchFor(
  transaction: TransactionIdentity,
  open: (timeoutMs: number) => Promise<CommitWitness>,
  timeoutMs: number,
): Promise<End | null> {
  const witness = await open(timeoutMs);
  try {
    // What another server knows of this id, or the same one since a crash, is not about our transaction.
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

/** A connection of its own to the server at the address. */
export async function witnessAt(url: string, timeoutMs: number): Promise<CommitWitness> {
  const client = new BoundedClient({
    connectionString: url,
    application_name: 'proctor commit search',
    connectionTimeoutMillis: timeoutMs,
    answerTimeoutMs: timeoutMs,
  });
  // What breaks the connection fails the statements too.
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
 * What a statement reads is fixed as it begins, whatever the database's default is: see horizon.ts. `deferrable` changes nothing
 * about such a transaction: it is the mark by which the next statement knows that it is in one.
 */
const BEGIN = 'begin isolation level read committed deferrable';

/** Outside a transaction each statement behind it would be committed by itself: the connection is ended before they are read. */
const IDENTITY = statement(
  { id: text, processId: integer, isEnded: boolean.orNull },
  `
  select pg_current_xact_id()::text as id, pg_backend_pid() as "processId",
    case when current_setting('transaction_deferrable') = 'off' then pg_terminate_backend(pg_backend_pid()) end as "isEnded"`,
).asPrepared;

const STATUS = `select pg_xact_status($1::text::xid8) as status`;

/** The process may have gone on to another transaction. */
const TERMINATE = `
  select pg_terminate_backend(pid) from pg_stat_activity where pid = $1 and backend_xid = $2::text::xid8::xid`;
