import type { MigrationInterface, QueryRunner } from 'typeorm';
import { waiting } from '../migrating/session';
import { buildIndexes } from '../migrating/steps';

/**
 * The lengths of queues are read from an index alone, which it takes that rows are vacuumed soon after they were
 * inserted: by default a fifth of all runs ever would have to come first.
 */
export class QueueLengths1764300000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await buildIndexes(runner, [
      `create index runs_queues on runs (suite, arch, state, created_at) where state <> 'finished'`,
    ]);
    await waiting(runner, async () => {
      await runner.query('alter table runs set (autovacuum_vacuum_insert_scale_factor = 0.01)');
      // The same as runs_status_updates.
      await runner.query('drop index concurrently if exists runs_news');
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`create index runs_news on runs (suite, arch, updated_at)
      where state = 'finished' and not is_private and not cancelled
        and pin_packages = '[]' and extra_apt_sources = '[]'`);
    await runner.query('alter table runs reset (autovacuum_vacuum_insert_scale_factor)');
    await runner.query('drop index runs_queues');
  }
}
