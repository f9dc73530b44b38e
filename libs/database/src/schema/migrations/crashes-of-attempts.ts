import type { MigrationInterface, QueryRunner } from 'typeorm';
import { briefly } from '../migrating/session';

/** Crashes of the runner are written down with their attempts: another scheduler goes on counting them. */
export class CrashesOfAttempts1766490000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await briefly(runner, ['attempts'], () =>
      runner.query('alter table attempts add column if not exists crash text'),
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await briefly(runner, ['attempts'], () => runner.query('alter table attempts drop column crash'));
  }
}
