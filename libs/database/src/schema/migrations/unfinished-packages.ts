import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndexes } from '../migrating/steps';

/** Which runs of a package wait is asked by people and by those who cancel them: not by going through all that wait. */
export class UnfinishedPackages1765000000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await buildIndexes(runner, [
      `create index runs_unfinished_packages on runs (package, run_id) where state <> 'finished'`,
    ]);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index runs_unfinished_packages');
  }
}
