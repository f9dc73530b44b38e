import type { MigrationInterface, QueryRunner } from 'typeorm';

const KINDS = `'requested', 'granted', 'started', 'requeued', 'finished', 'cancelled', 'reprioritised', 'published'`;

/** A run that was ended for want of a result may be corrected by it. */
export class CorrectionsAndUsage1764700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await allowFacts(runner, `${KINDS}, 'corrected'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    // Such runs keep their results; their stories end before them.
    await runner.query(`delete from facts where kind = 'corrected'`);
    await allowFacts(runner, KINDS);
  }
}

/** Not valid: the rows that are there, of which there are many, need not be looked at again. */
async function allowFacts(runner: QueryRunner, kinds: string): Promise<void> {
  await runner.query('alter table facts drop constraint facts_kind_check');
  await runner.query(
    `alter table facts add constraint facts_kind_check check (kind in (${kinds})) not valid`,
  );
}
