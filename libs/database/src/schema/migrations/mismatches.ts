import type { MigrationInterface, QueryRunner } from 'typeorm';
import { briefly } from '../migrating/session';
import { buildIndexes, inBatches } from '../migrating/steps';

/** Which runs had other packages than were asked for: those whose pins apt gave up, and those of whose trigger another version was installed. */
export class Mismatches1766400000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await briefly(runner, ['run_testbeds'], () =>
      runner.query(`alter table run_testbeds
        add column if not exists finished_at timestamptz(3),
        add column if not exists other_versions jsonb not null default '[]'`),
    );
    await inBatches(runner, 'run_testbeds', 'run_id', (from, to) =>
      runner.query(
        `update run_testbeds t set finished_at = r.finished_at from runs r
        where t.run_id > $1 and t.run_id <= $2 and t.fallback_line is not null and t.finished_at is null
          and r.run_id = t.run_id`,
        [from, to],
      ),
    );
    await buildIndexes(runner, [
      `create index run_testbeds_mismatches on run_testbeds (finished_at desc, run_id desc)
        where finished_at is not null and (fallback_line is not null or other_versions <> '[]')`,
    ]);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table run_testbeds drop column finished_at, drop column other_versions');
  }
}
