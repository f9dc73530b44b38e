import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * How the single tests of a run ended: with the run, since nobody asks for them but with it. A default that does not
 * change is no rewrite of the table.
 */
export class TestResults1764500000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table runs add column tests jsonb not null default '[]'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table runs drop column tests');
  }
}
