import type { MigrationInterface, QueryRunner } from 'typeorm';
import { waiting } from '../migrating/session';
import { buildIndexes } from '../migrating/steps';

/**
 * Dispatchers read the runs that were never granted by their lines, a part at a time, and all others at once. A scheduler of
 * an earlier version that loads meanwhile goes through all unfinished runs.
 */
export class Lines1765850000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await buildIndexes(runner, [
      `create index runs_lines on runs (arch, suite, backend, variant, is_private, priority,
        (coalesce(retried_by, requestor_id)), created_at, run_id) include (retried_by, requestor_id)
        where state = 'queued' and attempt = 0`,
      `create index runs_granted on runs (arch, run_id) where attempt > 0 and state <> 'finished'`,
    ]);
    await waiting(runner, () => runner.query('drop index concurrently if exists runs_unfinished'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `create index runs_unfinished on runs (arch, created_at, run_id) where state <> 'finished'`,
    );
    await runner.query('drop index runs_granted, runs_lines');
  }
}
