import type { MigrationInterface, QueryRunner } from 'typeorm';
import { briefly } from '../migrating/session';
import { buildIndexes } from '../migrating/steps';

/** The first error of a run's log, and its signature, by which runs are found that failed with the same. */
export class ErrorSignatures1765500000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await briefly(runner, ['runs'], () =>
      runner.query(`alter table runs
        add column if not exists error_signature text,
        add column if not exists error_excerpt jsonb`),
    );
    await buildIndexes(runner, [
      `create index runs_errors on runs (error_signature, finished_at desc, run_id desc)
        where error_signature is not null`,
    ]);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index runs_errors');
    await runner.query('alter table runs drop column error_signature, drop column error_excerpt');
  }
}
