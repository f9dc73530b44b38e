import type { MigrationInterface, QueryRunner } from 'typeorm';
import { briefly, patiently } from '../migrating/session';
import { buildIndexes } from '../migrating/steps';

/** What was removed of a run and by which rule; files that are to be removed from the store; how far that has come. */
export class Retention1766000000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const table of TABLES) await runner.query(table);
    await briefly(runner, ['runs'], () =>
      runner.query(`alter table runs
        add column if not exists log_removed_by text,
        add column if not exists artifacts_removed_by text,
        add column if not exists story_removed_by text`),
    );
    await buildIndexes(runner, INDEXES);
    // Rows go in batches: what they leave behind is free again before it is a fifth of a large table.
    for (const table of SWEPT)
      await patiently(runner, () =>
        runner.query(`alter table ${table} set (autovacuum_vacuum_scale_factor = 0.02)`),
      );
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of SWEPT)
      await runner.query(`alter table ${table} reset (autovacuum_vacuum_scale_factor)`);
    await runner.query('drop index runs_artifacts, runs_logs, runs_package_files');
    await runner.query(`alter table runs
      drop column log_removed_by, drop column artifacts_removed_by, drop column story_removed_by`);
    await runner.query('drop table expired_files, expiry_progress');
  }
}

const SWEPT = ['runs', 'attempts', 'facts'];

const TABLES = [
  `create table if not exists expired_files (
    run_id bigint not null,
    attempt integer not null,
    name text not null,
    primary key (run_id, attempt, name)
  )`,
  `create table if not exists expiry_progress (
    name text primary key,
    at timestamptz(3) not null,
    run_id bigint not null default 0,
    constraint expiry_progress_name_check
      check (name in ('begin', 'pass', 'sweep', 'public stories', 'private stories'))
  )`,
];

const INDEXES = [
  'create index runs_artifacts on runs (finished_at, run_id) where artifacts_size is not null',
  'create index runs_logs on runs (finished_at, run_id) where log_size is not null',
  `create index runs_package_files on runs (package, finished_at desc, run_id desc) include (log_size, artifacts_size)
    where log_size is not null or artifacts_size is not null`,
];
