import type { MigrationInterface, QueryRunner } from 'typeorm';
import { briefly } from '../migrating/session';
import { buildIndexes } from '../migrating/steps';

/**
 * What statistics read: figures of each day, which stay when runs go. The schedulers make the rows, of the runs that are there
 * too, in steps of their own.
 */
export class StatusHistory1765900060000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const table of TABLES) await runner.query(table);
    await briefly(runner, ['status_progress'], () =>
      runner.query('alter table status_progress add column if not exists closed_day date'),
    );
    await buildIndexes(runner, [
      'create index package_statuses_counts on package_statuses (arch, suite, verdict)',
    ]);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index package_statuses_counts');
    await runner.query('alter table status_progress drop column closed_day');
    await runner.query('drop table run_days, status_days');
  }
}

const TABLES = [
  `create table if not exists run_days (
    day date not null,
    suite text not null,
    arch text not null,
    verdict text not null,
    runs integer not null,
    timed_runs integer not null,
    test_seconds bigint not null,
    started_runs integer not null,
    wait_seconds bigint not null,
    began_in_quarter integer not null,
    began_in_hour integer not null,
    began_in_six_hours integer not null,
    began_in_day integer not null,
    primary key (day, suite, arch, verdict),
    constraint run_days_verdict_check check (verdict in ('pass', 'neutral', 'fail', 'tmpfail'))
  )`,
  `create table if not exists status_days (
    day date not null,
    suite text not null,
    arch text not null,
    pass integer not null,
    neutral integer not null,
    fail integer not null,
    tmpfail integer not null,
    primary key (day, suite, arch)
  )`,
];
