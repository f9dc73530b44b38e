import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndexes } from '../migrating/steps';

/** The signatures of the newest errors of public runs, to be counted without a look at the runs themselves. */
export class RecentErrors1765911000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await buildIndexes(runner, [
      `create index runs_recent_errors on runs (finished_at desc, run_id desc) include (error_signature)
        where error_signature is not null and not is_private`,
    ]);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index runs_recent_errors');
  }
}
