import type { MigrationInterface, QueryRunner } from 'typeorm';
import { briefly } from '../migrating/session';
import { buildIndexes } from '../migrating/steps';

/** Which runs had packages from suites that nobody asked for. */
export class OtherSuites1766450000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await briefly(runner, ['run_testbeds'], () =>
      runner.query(
        `alter table run_testbeds add column if not exists other_suites jsonb not null default '[]'`,
      ),
    );
    // The release before reads by the other index.
    await buildIndexes(runner, [
      `create index run_testbeds_other_suites on run_testbeds (finished_at desc, run_id desc)
        where finished_at is not null and other_suites <> '[]'`,
    ]);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table run_testbeds drop column other_suites');
  }
}
