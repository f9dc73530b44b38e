import type { MigrationInterface, QueryRunner } from 'typeorm';
import { briefly, waiting } from '../migrating/session';
import { buildIndexes, validateConstraints } from '../migrating/steps';

/** What the lists of statuses read beside what pages of packages do: when a package passed again, and an order for each list. */
export class StatusLists1765900000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await briefly(runner, ['package_statuses', 'status_progress'], async () => {
      await runner.query(`alter table package_statuses
        add column if not exists recovered_run_id bigint,
        add column if not exists recovered_version text,
        add column if not exists recovered_at timestamptz(3),
        add column if not exists recovered_trigger text,
        drop constraint if exists package_statuses_recovered_check,
        add constraint package_statuses_recovered_check check
          ((recovered_run_id is null) = (recovered_version is null) and (recovered_run_id is null) = (recovered_at is null))
          not valid`);
      // Schedulers make the rows again that were made without the new columns.
      await runner.query(
        'alter table status_progress add column if not exists layout integer not null default 1',
      );
    });
    await validateConstraints(runner, ['package_statuses']);
    await buildIndexes(runner, INDEXES);
    await waiting(runner, () => runner.query('drop index concurrently if exists package_statuses_flaky'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'create index package_statuses_flaky on package_statuses (package, suite, arch) where is_flaky',
    );
    await runner.query(`drop index ${INDEXES.map((index) => index.split(' ')[2]).join(', ')}`);
    await runner.query('alter table status_progress drop column layout');
    await runner.query(`alter table package_statuses drop column recovered_run_id, drop column recovered_version,
      drop column recovered_at, drop column recovered_trigger`);
  }
}

const TELLING = `state = 'finished' and not is_private and not cancelled and pin_packages = '[]' and extra_apt_sources = '[]'`;

const INDEXES = [
  `create index runs_failures on runs (suite, arch, package, finished_at desc, run_id desc)
    where ${TELLING} and verdict = 'fail'`,
  `create index runs_mismatches on runs (finished_at desc, run_id desc)
    where state = 'finished' and not is_private and not cancelled and version <> 'n/a'
      and position(' ' || package || '/' in ' ' || trigger) > 0
      and position(' ' || package || '/' || version || ' ' in ' ' || trigger || ' ') = 0`,
  `create index package_statuses_broken on package_statuses (finished_at desc, package, suite, arch)
    where verdict = 'tmpfail'`,
  `create index package_statuses_failures on package_statuses (package, suite, arch) where verdict = 'fail'`,
  `create index package_statuses_unsteady on package_statuses (flakiness desc, package, suite, arch) where is_flaky`,
  `create index package_statuses_slow on package_statuses (median_seconds desc, package, suite, arch)
    where median_seconds is not null`,
  `create index package_statuses_changed on package_statuses (greatest(failing_at, recovered_at) desc, package, suite, arch)
    where failing_at is not null or recovered_at is not null`,
];
