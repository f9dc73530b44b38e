import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import connectPgSimple, { type PGStoreOptions } from 'connect-pg-simple';
import session, { type SessionData, type Store } from 'express-session';
import { createHash } from 'node:crypto';
import { Database, type Statements } from '../kit/database';
import { asBackgroundWork } from '../kit/request-wait';
import { SessionSecretRow } from '../rows';
import { Statement, statement, text } from '../kit/statement';

const PgStore = connectPgSimple(session);

/** Seconds between two removals of expired sessions, with a random part. */
const PRUNE_SECONDS = 900;

/** The number of sessions without a login. Each request for the login page creates one. */
export const SESSIONS_BEFORE_LOGIN_MAX = 100_000;
/** After this many new sessions of this process, the oldest beyond that limit are removed. */
const LOOKED_AT_EACH = 5_000;

/** Saves the digest of a session's id: a reader of the table, or of a copy of it, cannot use the session. */
class DigestedIds extends PgStore {
  override get(id: string, callback: (error: unknown, session?: SessionData | null) => void): void {
    super.get(digestOf(id), callback);
  }

  /** A callback for each new session without a login. */
  onNewSession = (): void => undefined;

  override set(id: string, data: SessionData, callback?: (error?: unknown) => void): void {
    super.set(digestOf(id), data, (error?: unknown) => {
      if (!error && !('userId' in data)) this.onNewSession();
      callback?.(error);
    });
  }

  override destroy(id: string, callback?: (error?: unknown) => void): void {
    super.destroy(digestOf(id), callback);
  }
}

/** The browser sessions of all api processes. */
@Injectable()
export class Sessions implements OnModuleDestroy {
  /** The session store for express-session. */
  readonly store: Store;
  private readonly logger = new Logger(Sessions.name);
  private readonly prunable: DigestedIds;
  private sessionCount = 0;

  constructor(private readonly database: Database) {
    this.prunable = new DigestedIds({
      pool: poolOf(database),
      tableName: 'sessions',
      createTableIfMissing: false,
      // A session ends at a fixed time, so that reading a page writes nothing.
      disableTouch: true,
      pruneSessionInterval: PRUNE_SECONDS,
      errorLog: (what: unknown, error: unknown) => this.logger.warn(`${String(what)} ${String(error)}`),
    });
    this.prunable.onNewSession = () => this.count();
    this.store = this.prunable;
  }

  /** Ends the oldest sessions without a login, so that at most `max` are left. */
  async endOldest(max = SESSIONS_BEFORE_LOGIN_MAX): Promise<void> {
    await asBackgroundWork(() => this.database.query(END_OLDEST, [max]));
  }

  private count(): void {
    this.sessionCount += 1;
    if (this.sessionCount % LOOKED_AT_EACH > 0) return;
    this.endOldest().catch((error: unknown) =>
      this.logger.warn(`sessions before a login were not removed: ${String(error)}`),
    );
  }

  /** The secret that signs cookies, the same for all api processes. */
  async secret(): Promise<string> {
    const [row] = await this.database.entities((manager) => manager.find(SessionSecretRow, { take: 1 }));
    if (!row) throw new Error('the table session_secrets is empty');
    return row.secret;
  }

  onModuleDestroy(): void {
    this.prunable.close();
  }
}

/**
 * Called in the transaction of the change that requires it.
 * @returns how many there were
 */
export async function endSessionsOf(statements: Statements, userId: number): Promise<number> {
  return (await statements.query(END_ALL, [String(userId)])).length;
}

const END_ALL = statement({ sid: text }, `delete from sessions where sess ->> 'userId' = $1 returning sid`);

const END_OLDEST = statement(
  { sid: text },
  `delete from sessions where sid in
     (select sid from sessions where sess ->> 'userId' is null order by expire desc, sid offset $1) returning sid`,
);

/** An object with the only method of a pool that connect-pg-simple uses. */
function poolOf(database: Database): NonNullable<PGStoreOptions['pool']> {
  const query = async (sql: string, parameters: unknown[]): Promise<{ rows: unknown[] }> => ({
    rows: await asBackgroundWorkIfPruning(sql, () => database.query(new Statement(sql, {}), parameters)),
  });
  return { query } as unknown as NonNullable<PGStoreOptions['pool']>;
}

/** Expired sessions are removed by a timer, which a request has started. */
function asBackgroundWorkIfPruning<T>(sql: string, work: () => T): T {
  return sql.startsWith('DELETE') && sql.includes('expire') ? asBackgroundWork(work) : work();
}

function digestOf(id: string): string {
  return createHash('sha256').update(id).digest('hex');
}
