import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndexes } from '../migrating/steps';

/** Without it, each run that is deleted is looked for in all orders. */
export const ORDERS_OF_RUNS = 'create index orders_run on orders (run_id) where run_id is not null';

export class OrdersOfRuns1764560000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await buildIndexes(runner, [ORDERS_OF_RUNS]);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index if exists orders_run');
  }
}
