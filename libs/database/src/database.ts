import { Injectable } from '@nestjs/common';
import { DataSource, EntityManager, QueryRunner } from 'typeorm';
import { translated } from './unavailable';

/** Where explicit SQL is sent: the pool, or one transaction. */
export interface Statements {
  /** Rows as the statement names their columns. */
  query<Row>(statement: string, parameters?: unknown[]): Promise<Row[]>;
}

/**
 * The pool of connections. Every store goes through it, so this is the one place where a lost connection becomes
 * DatabaseUnavailable.
 */
@Injectable()
export class Database implements Statements {
  constructor(private readonly dataSource: DataSource) {}

  query<Row>(statement: string, parameters: unknown[] = []): Promise<Row[]> {
    return this.connected((runner) => statementsOf(runner).query<Row>(statement, parameters));
  }

  /** Commits when `work` resolves; rolls back and throws its error when it rejects. */
  transaction<T>(work: (statements: Statements) => Promise<T>): Promise<T> {
    return this.connected(async (runner) => {
      await runner.startTransaction();
      try {
        const result = await work(statementsOf(runner));
        await runner.commitTransaction();
        return result;
      } catch (error) {
        await rollBack(runner);
        throw error;
      }
    });
  }

  /** TypeORM's repositories, for what is not hot. */
  async entities<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    try {
      return await work(this.dataSource.manager);
    } catch (error) {
      throw translated(error);
    }
  }

  private async connected<T>(work: (runner: QueryRunner) => Promise<T>): Promise<T> {
    const runner = this.dataSource.createQueryRunner();
    try {
      return await work(runner);
    } catch (error) {
      throw translated(error);
    } finally {
      await runner.release();
    }
  }
}

function statementsOf(runner: QueryRunner): Statements {
  return {
    // The structured result, since TypeORM's plain one has another shape for updates than for selects.
    query: async <Row>(statement: string, parameters: unknown[] = []) =>
      (await runner.query(statement, parameters, true)).records as Row[],
  };
}

/** PostgreSQL rolls back by itself when the connection is lost, so only the first error is worth telling. */
async function rollBack(runner: QueryRunner): Promise<void> {
  if (runner.isReleased) return;
  await runner.rollbackTransaction().catch(() => undefined);
}
