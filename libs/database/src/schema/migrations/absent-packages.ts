import type { MigrationInterface, QueryRunner } from 'typeorm';
import { briefly } from '../migrating/session';
import { validateConstraints } from '../migrating/steps';

const TABLES = ['runs', 'attempts', 'facts'];
const OF_PACKAGES = `'pass', 'neutral', 'fail', 'tmpfail'`;

/** A run may end because its suite has no such package, and says what kept it from being carried out. */
export class AbsentPackages1766470000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const table of TABLES)
      await briefly(runner, [table], () => allow(runner, table, `${OF_PACKAGES}, 'absent'`));
    await briefly(runner, ['runs'], () =>
      runner.query(`
        alter table runs
          add column if not exists trouble text,
          drop constraint if exists runs_trouble_check,
          add constraint runs_trouble_check
            check (trouble in ('archive', 'testbed', 'machine', 'limit', 'request')) not valid`),
    );
    await validateConstraints(runner, TABLES);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table runs drop column trouble');
    for (const table of TABLES) {
      await runner.query(`update ${table} set verdict = 'fail' where verdict = 'absent'`);
      await allow(runner, table, OF_PACKAGES);
      await validateConstraints(runner, [table]);
    }
  }
}

/** Not valid: the rows that are there are not looked at behind a lock. */
async function allow(runner: QueryRunner, table: string, verdicts: string): Promise<void> {
  await runner.query(`
    alter table ${table}
      drop constraint if exists ${table}_verdict_check,
      add constraint ${table}_verdict_check check (verdict in (${verdicts})) not valid`);
}
