import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndexes } from '../migrating/steps';

/** A user sees all of their own runs, of all keys. */
export class RunsOfUsers1765800000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await buildIndexes(runner, ['create index runs_requestor on runs (requestor_id, run_id)']);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index runs_requestor');
  }
}
