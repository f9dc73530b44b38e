import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndexes } from '../migrating/steps';

/**
 * How each package is, for pages to read. The rows are made by the schedulers, of the runs that are there too, in steps of
 * their own: so this takes no longer on a large database than building the index does.
 */
export class PackageStatuses1765600000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const table of TABLES) await runner.query(table);
    await buildIndexes(runner, [
      `create index runs_changes on runs (arch, updated_at, run_id)
        where state = 'finished' and not is_private and not cancelled`,
    ]);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table package_statuses, status_progress');
    await runner.query('drop index runs_changes');
  }
}

const VERDICTS = `('pass', 'neutral', 'fail', 'tmpfail')`;

const TABLES = [
  `create table if not exists package_statuses (
    package text not null,
    suite text not null,
    arch text not null,
    run_id bigint not null,
    verdict text not null,
    version text not null,
    finished_at timestamptz(3) not null,
    previous_verdict text,
    passed_run_id bigint,
    passed_version text,
    passed_at timestamptz(3),
    failing_run_id bigint,
    failing_version text,
    failing_at timestamptz(3),
    failing_trigger text,
    strip text not null,
    flakiness double precision not null,
    is_flaky boolean not null,
    median_seconds integer,
    p95_seconds integer,
    is_longer boolean not null,
    primary key (package, suite, arch),
    constraint package_statuses_verdict_check check (verdict in ${VERDICTS}),
    constraint package_statuses_previous_check check (previous_verdict in ${VERDICTS}),
    constraint package_statuses_pass_check check
      ((passed_run_id is null) = (passed_version is null) and (passed_run_id is null) = (passed_at is null)),
    constraint package_statuses_failing_check check
      ((failing_run_id is null) = (failing_version is null) and (failing_run_id is null) = (failing_at is null))
  )`,
  `create index if not exists package_statuses_failing on package_statuses (failing_at desc, package, suite, arch)
    where failing_run_id is not null`,
  `create index if not exists package_statuses_flaky on package_statuses (package, suite, arch) where is_flaky`,
  `create table if not exists status_progress (
    arch text primary key,
    second bigint not null,
    filled_package text,
    filled_suite text,
    constraint status_progress_filled_check check ((filled_package is null) = (filled_suite is null))
  )`,
];
