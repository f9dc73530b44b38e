import type { MigrationInterface, QueryRunner } from 'typeorm';
import { briefly, waiting } from '../migrating/session';
import { buildIndexes } from '../migrating/steps';

/**
 * Dispatchers learn of new runs by the transactions that these came with, and write nothing for it. Runs that are there have
 * no such number: whoever owns an architecture loads all of its runs before it looks for new ones. A scheduler of an earlier
 * version that goes on meanwhile finds its arrivals by the architecture's unfinished runs.
 */
export class Arrivals1765400000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create or replace function current_transaction() returns bigint
      language sql volatile parallel unsafe as 'select pg_current_xact_id()::text::bigint'`);
    // In two steps: with the default, the column would be written into every row.
    await briefly(runner, ['runs'], async () => {
      await runner.query('alter table runs add column if not exists created_in bigint');
      await runner.query('alter table runs alter column created_in set default current_transaction()');
    });
    await buildIndexes(runner, [
      `create index runs_arrived on runs (arch, created_in, run_id) where state = 'queued' and attempt = 0`,
    ]);
    await waiting(runner, () => runner.query('drop index concurrently if exists runs_arrivals'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`create index runs_arrivals on runs (arch, created_at, run_id)
      where not taken_in and state = 'queued'`);
    await runner.query('alter table runs drop column created_in');
    await runner.query('drop function current_transaction()');
  }
}
