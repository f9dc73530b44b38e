import type { MigrationInterface, QueryRunner } from 'typeorm';
import { briefly } from '../migrating/session';

/**
 * How the single tests of a run ended: with the run, since nobody asks for them but with it. A default that does not
 * change is no rewrite of the table.
 */
export class TestResults1764500000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await briefly(runner, ['runs'], () =>
      runner.query(`alter table runs add column if not exists tests jsonb not null default '[]'`),
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table runs drop column tests');
  }
}
