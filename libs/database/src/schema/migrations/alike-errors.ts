import type { MigrationInterface, QueryRunner } from 'typeorm';
import { waiting } from '../migrating/session';
import { buildIndexes } from '../migrating/steps';

/** Errors of public runs are counted by package and place without a look at the runs themselves. */
export class AlikeErrors1766420000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await buildIndexes(runner, [
      `create index runs_newest_errors on runs (finished_at desc, run_id desc) include (error_signature, package, suite, arch)
        where error_signature is not null and state = 'finished' and not is_private`,
      `create index runs_alike on runs (error_signature, finished_at desc, run_id desc) include (package, suite, arch)
        where error_signature is not null and state = 'finished' and not is_private`,
    ]);
    for (const index of REPLACED)
      await waiting(runner, () => runner.query(`drop index concurrently if exists ${index}`));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`create index runs_errors on runs (error_signature, finished_at desc, run_id desc)
      where error_signature is not null`);
    await runner.query(`create index runs_recent_errors on runs (finished_at desc, run_id desc) include (error_signature)
      where error_signature is not null and not is_private`);
    await runner.query('drop index runs_newest_errors, runs_alike');
  }
}

const REPLACED = ['runs_recent_errors', 'runs_errors'];
