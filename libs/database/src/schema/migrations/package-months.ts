import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What is kept of removed runs: how many a package had in a month, and how they ended. */
export class PackageMonths1766440000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table if not exists package_months (
        package text not null,
        suite text not null,
        arch text not null,
        month date not null,
        verdict text not null,
        runs integer not null,
        timed_runs integer not null,
        test_seconds bigint not null,
        primary key (package, suite, arch, month, verdict),
        constraint package_months_verdict_check check (verdict in ('pass', 'neutral', 'fail', 'tmpfail'))
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table package_months');
  }
}
