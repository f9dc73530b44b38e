import { Injectable } from '@nestjs/common';
import { DataSource, EntityManager, QueryRunner } from 'typeorm';
import { type BoundedClient, rowsOf, noLimit } from './bounded-client';
import { addressOf } from './data-source';
import { startTransaction, commit, endOf, type TransactionIdentity, witnessAt } from './commit-search';
import type { DatabaseLimits } from './limits';
import { currentWait } from './request-wait';
import { type SessionLock, withSessionLock } from './session-lock';
import type { Statement } from './statement';
import { DatabaseUnavailable, errorCode, asUnavailable } from './unavailable';

/** Executes SQL statements: on the pool, or in one transaction. */
export interface Statements {
  query<Row>(statement: Statement<Row>, parameters?: unknown[]): Promise<Row[]>;
}

export interface Transaction extends Statements {
  /** TypeORM's repositories: see `Database.entities`. */
  entities<T>(work: (manager: EntityManager) => Promise<T>): Promise<T>;
}

/** The present use of the connections of a process. */
export interface PoolUse {
  max: number;
  /** Connections that a call uses. */
  busy: number;
  idle: number;
  /** Calls that wait for a connection. */
  waiting: number;
}

/** The counts of pg's pool. */
interface CountedPool {
  totalCount: number;
  idleCount: number;
  waitingCount: number;
}

/**
 * The pool of connections. All stores use it, so only this class turns a lost connection into DatabaseUnavailable.
 * Every wait has a limit: for a connection, for each answer, for the end of a commit, and for all calls of one
 * request together.
 */
@Injectable()
export class Database implements Statements {
  constructor(
    private readonly dataSource: DataSource,
    readonly limits: DatabaseLimits,
  ) {}

  /** Executes a statement that changes nothing or may be repeated: if it fails, it is unknown whether it was done. */
  query<Row>(statement: Statement<Row>, parameters: unknown[] = []): Promise<Row[]> {
    return this.withClient((client) => rowsOf(client, statement, parameters));
  }

  /**
   * Runs `work` on one connection without a transaction. Each statement sees at least what was committed when the
   * statement before it was answered.
   */
  inOrder<T>(work: (statements: Statements) => Promise<T>): Promise<T> {
    return this.withClient((client) =>
      work({ query: (statement, parameters = []) => rowsOf(client, statement, parameters) }),
    );
  }

  /**
   * Commits when `work` resolves; rolls back and throws the error when `work` rejects. Statements that `work` sends
   * without waiting for answers are executed in order, in one round trip; after a failed statement, none is executed.
   * The first ones are sent together with the statements that begin the transaction.
   * @throws DatabaseUnavailable if the database did not answer; it says whether the transaction may have been
   * committed
   */
  transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.withClient(async (client, runner) => {
      const { identity, result } = await both(
        startTransaction(client),
        work(this.withTimeLimit(client, runner)),
      )
        .then((value) => this.spareTimeForSearch(client, value))
        .catch(async (error: unknown) => {
          await rollBack(client);
          throw error;
        });
      await commit(client).catch((error: unknown) => this.resolve(identity, error));
      return result;
    });
  }

  /**
   * Runs `work` with TypeORM's repositories, for plain reads and writes. A write must be one statement that may be
   * repeated, as for `query`. Do not use `save` and `remove`: they begin transactions that this class does not
   * control.
   */
  entities<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.withClient((_client, runner) => work(runner.manager));
  }

  /** Runs `work` while no other process works under this lock: see withSessionLock. */
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
    const wait = currentWait();
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

  /** Waits for a connection including its preparation; the limit of the pool does not include the preparation. */
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

  /**
   * The statements of one transaction, within its time limit: many statements may each be in time and together take
   * too long.
   */
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
          // Statements that were sent together all fail after the first failure; only its error has the reason.
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

  /**
   * Shortens the wait for the commit, so that time is left to find out how it ended.
   * @throws DatabaseUnavailable if no time is left for the commit
   */
  private spareTimeForSearch<T>(client: BoundedClient, result: T): T {
    const { leftMs } = client;
    client.leftMs = () => leftMs() - this.limits.commitSearchTimeoutMs;
    if (client.leftMs() <= 0) throw outOfTime();
    return result;
  }

  /** Handles a failed commit. @throws unless the transaction was committed in spite of the failure */
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

/** Waits until both have ended. @throws the error of `beginning`, or else that of `work` */
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

/** If the rollback fails, closes the connection: PostgreSQL then rolls back by itself. */
async function rollBack(client: BoundedClient): Promise<void> {
  await (client.query('rollback') as Promise<unknown>).catch(() => client.closeNow());
}
