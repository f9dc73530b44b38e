import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndexes } from '../migrating/steps';

/** What a worker has ended last; a lease that was handed back or cancelled tells nothing of it. */
export class AttemptsOfWorkers1765910000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await buildIndexes(runner, [
      `create index attempts_of_workers on attempts (worker, ended_at desc, run_id desc, attempt desc)
        where outcome in ('finished', 'failed', 'expired', 'lost')`,
    ]);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index attempts_of_workers');
  }
}
