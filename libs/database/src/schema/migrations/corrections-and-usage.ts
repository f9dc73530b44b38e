import type { MigrationInterface, QueryRunner } from 'typeorm';
import { briefly } from '../migrating/session';
import { validateConstraints } from '../migrating/steps';

const KINDS = `'requested', 'granted', 'started', 'requeued', 'finished', 'cancelled', 'reprioritised', 'published'`;

/** A run that was ended for want of a result may be corrected by it. */
export class CorrectionsAndUsage1764700000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await briefly(runner, ['facts'], () => allowFacts(runner, `${KINDS}, 'corrected'`));
    await validateConstraints(runner, ['facts']);
  }

  async down(runner: QueryRunner): Promise<void> {
    // Such runs keep their results; their stories end before them.
    await runner.query(`delete from facts where kind = 'corrected'`);
    await allowFacts(runner, KINDS);
  }
}

/** Not valid: the rows that are there, of which there are many, are not looked at behind a lock. */
async function allowFacts(runner: QueryRunner, kinds: string): Promise<void> {
  await runner.query('alter table facts drop constraint facts_kind_check');
  await runner.query(
    `alter table facts add constraint facts_kind_check check (kind in (${kinds})) not valid`,
  );
}
