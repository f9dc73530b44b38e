import { type OpenDatabase, openDatabase, type Submitter } from '@proctor/database';
import type { Write } from '@proctor/dispatch';
import type { Client } from 'pg';
import { connectTo, createTestDatabase } from '@test/support/database';

/** An open database of its own, with a user and a key. */
export interface Fixture {
  url: string;
  database: OpenDatabase;
  /** Another connection, beside the pool. */
  client: Client;
  /** The user `ada`. */
  submitter: Submitter;
  /** Writes of the owner of the architecture. */
  commit(arch: string, writes: Write[]): Promise<void>;
  close(): Promise<void>;
}

/** The limits of a deployment are not the matter of these tests: a busy machine may take longer. */
const PATIENT = {
  ...{ connectTimeoutMs: 60_000, statementTimeoutMs: 60_000, answerTimeoutMs: 60_000 },
  ...{ transactionTimeoutMs: 120_000, idleInTransactionTimeoutMs: 60_000 },
};

export async function setUp(): Promise<Fixture> {
  const { url, drop } = await createTestDatabase();
  const database = await openDatabase(url, PATIENT);
  const client = await connectTo(url);
  const { userId } = await database.users.add('ada', { isAdmin: false });
  const { id } = await database.apiKeys.create('ada', 'test');
  return {
    url,
    database,
    client,
    submitter: { userId, keyId: id },
    async commit(arch, writes) {
      const ownership = await database.ownershipRegister.claim(arch, 'scheduler-1', 60_000);
      const [refusal] = await database.journal.commit(arch, ownership!.epoch, writes);
      if (refusal) throw new Error(`the row does not allow ${JSON.stringify(refusal)}`);
    },
    async close() {
      await client.end();
      await database.close();
      await drop();
    },
  };
}

/** Resolves once a statement with these words waits for another's lock in the database. */
export async function lockAwaited(url: string, words: string): Promise<void> {
  // A connection of its own: a transaction sees the activity as it was when it first looked.
  const watcher = await connectTo(url);
  const waiting = `select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like '%' || $1 || '%'`;
  while ((await watcher.query(waiting, [words])).rowCount === 0);
  await watcher.end();
}
