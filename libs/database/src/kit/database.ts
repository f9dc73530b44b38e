import { Injectable } from '@nestjs/common';
import { DataSource, EntityManager, QueryRunner } from 'typeorm';
import { type BoundedClient, rowsOf, noLimit } from './bounded-client';
import { addressOf } from './data-source';
import { startTransaction, commit, endOf, type TransactionIdentity, witnessAt } from './commit-search';
import type { DatabaseLimits } from './limits';
import { requestWait } from './request-wait';
import { type SessionLock, withSessionLock } from './session-lock';
import type { Statement } from './statement';
import { DatabaseUnavailable, errorCode, asUnavailable } from './unavailable';

/** Where explicit SQL is sent: the pool, or one transaction. */
export interface Statements {
  query<Row>(statement: Statement<Row>, parameters?: unknown[]): Promise<Row[]>;
}

/** One transaction. */
export interface Transaction extends Statements {
  /** What needs no SQL of its own: see `Database.entities`. */
  entities<T>(work: (manager: EntityManager) => Promise<T>): Promise<T>;
}

/** Of the connections that a process may have, at the moment. */
export interface PoolUse {
  max: number;
  /** In use by a call. */
  busy: number;
  idle: number;
  /** Calls that wait for one. */
  waiting: number;
}

/** The counts of pg's pool. */
interface CountedPool {
  totalCount: number;
  idleCount: number;
  waitingCount: number;
}

/**
 * The pool of connections. Every store goes through it, so this is the one place where a lost connection becomes
 * DatabaseUnavailable. No call waits without a limit: for a connection, for each answer, for the end of a commit; nor do
 * all calls of one request together.
 */
@Injectable()
export class Database implements Statements {
  constructor(
    private readonly dataSource: DataSource,
    readonly limits: DatabaseLimits,
  ) {}

  /** For statements that change nothing, or that may be repeated: it is not known whether one that failed was done. */
  query<Row>(statement: Statement<Row>, parameters: unknown[] = []): Promise<Row[]> {
    return this.withClient((client) => rowsOf(client, statement, parameters));
  }

  /**
   * For statements without a transaction that are sent together: each sees what was committed when the one before it was
   * answered, or later.
   */
  inOrder<T>(work: (statements: Statements) => Promise<T>): Promise<T> {
    return this.withClient((client) =>
      work({ query: (statement, parameters = []) => rowsOf(client, statement, parameters) }),
    );
  }

  /**
   * Commits when `work` resolves; rolls back and throws its error when it rejects. Statements that it sends without waiting for
   * each other's answers are executed in their order, in one round trip; after one that fails, none is. The first of them leave
   * together with what begins the transaction.
   * @throws DatabaseUnavailable, which says whether the transaction may have been committed all the same
   */
  transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.withClient(async (client, runner) => {
      const { identity, result } = await both(
        startTransaction(client),
        work(this.withTimeLimit(client, runner)),
      )
        .then((done) => this.spareTimeForSearch(client, done))
        .catch(async (error: unknown) => {
          await rollBack(client);
          throw error;
        });
      await commit(client).catch((error: unknown) => this.resolve(identity, error));
      return result;
    });
  }

  /**
   * TypeORM's repositories, for plain reads and writes; a write must be one statement that may be repeated, as for `query`.
   * `save` and `remove` are none: they begin transactions that this class knows nothing of.
   */
  entities<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.withClient((_client, runner) => work(runner.manager));
  }

  /** Does the work while no other process does work under this lock: see withSessionLock. */
  alone<T>(lock: SessionLock, work: () => Promise<T>): Promise<T> {
    return withSessionLock(this.url, lock, this.limits, work);
  }

  poolUse(): PoolUse {
    const { totalCount, idleCount, waitingCount } = (
      this.dataSource.driver as unknown as { master: CountedPool }
    ).master;
    const busy = totalCount - idleCount;
    return { max: this.limits.connectionsMax, busy, idle: idleCount, waiting: waitingCount };
  }

  private async withClient<T>(work: (client: BoundedClient, runner: QueryRunner) => Promise<T>): Promise<T> {
    const wait = requestWait();
    const leftMs = () => (wait ? this.limits.requestTimeoutMs - wait.ms : Infinity);
    wait?.start();
    try {
      const runner = await this.connect(Math.min(this.limits.connectTimeoutMs, leftMs()));
      try {
        const client = (await runner.connect()) as BoundedClient;
        client.leftMs = leftMs;
        return await work(client, runner).finally(() => (client.leftMs = noLimit));
      } finally {
        await runner.release();
      }
    } catch (error) {
      throw asUnavailable(error);
    } finally {
      wait?.end();
    }
  }

  /** The pool's own limit ends before a new connection is prepared. */
  private async connect(limitMs: number): Promise<QueryRunner> {
    if (limitMs <= 0) throw outOfTime();
    const runner = this.dataSource.createQueryRunner();
    const connecting = runner.connect();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(new DatabaseUnavailable(new Error(`no connection within ${Math.round(limitMs)} ms`)));
        connecting.then(
          () => runner.release(),
          () => undefined,
        );
      }, limitMs);
    });
    try {
      await Promise.race([connecting, late]);
      return runner;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Those of one transaction, within its time: each of many statements may be answered in time. */
  private withTimeLimit(client: BoundedClient, { manager }: QueryRunner): Transaction {
    const { transactionTimeoutMs } = this.limits;
    const endMs = performance.now() + transactionTimeoutMs;
    const check = (): void => {
      if (client.leftMs() <= 0) throw outOfTime();
      if (performance.now() < endMs) return;
      throw new DatabaseUnavailable(new Error(`the transaction took longer than ${transactionTimeoutMs} ms`));
    };
    let failure: unknown;
    return {
      async query(statement, parameters = []) {
        check();
        try {
          return await rowsOf(client, statement, parameters);
        } catch (error) {
          // Statements that were sent together fail with the one that failed first; its reason counts.
          if (errorCode(error) !== IN_FAILED_TRANSACTION) failure = error;
          throw failure ?? error;
        }
      },
      async entities(work) {
        check();
        return work(manager);
      },
    };
  }

  /** A commit is given up while there is still time to learn what became of it. @throws when there is none before it */
  private spareTimeForSearch<T>(client: BoundedClient, done: T): T {
    const { leftMs } = client;
    client.leftMs = () => leftMs() - this.limits.commitSearchTimeoutMs;
    if (client.leftMs() <= 0) throw outOfTime();
    return done;
  }

  /** A commit failed. @throws unless the transaction was committed all the same */
  private async resolve(transaction: TransactionIdentity, failure: unknown): Promise<void> {
    const error = asUnavailable(failure);
    if (!(error instanceof DatabaseUnavailable)) throw error;
    const end = await endOf(transaction, (timeoutMs) => witnessAt(this.url, timeoutMs), this.limits);
    if (end === 'committed') return;
    throw new DatabaseUnavailable(error.cause, end === 'aborted' ? 'nothing' : 'unknown');
  }

  private get url(): string {
    const { options } = this.dataSource;
    const address = options.type === 'postgres' ? addressOf(options) : undefined;
    if (address !== undefined) return address;
    throw new Error('the data source has no URL');
  }
}

/** @throws once both are over, the failure of the beginning before that of the work */
async function both<T>(
  beginning: Promise<TransactionIdentity>,
  work: Promise<T>,
): Promise<{ identity: TransactionIdentity; result: T }> {
  await Promise.allSettled([beginning, work]);
  return { identity: await beginning, result: await work };
}

const IN_FAILED_TRANSACTION = '25P02';

function outOfTime(): DatabaseUnavailable {
  return new DatabaseUnavailable(new Error('the request has waited for too long'));
}

/** PostgreSQL rolls back by itself when the connection is lost, so only the first error is worth logging. */
async function rollBack(client: BoundedClient): Promise<void> {
  await (client.query('rollback') as Promise<unknown>).catch(() => client.closeNow());
}
