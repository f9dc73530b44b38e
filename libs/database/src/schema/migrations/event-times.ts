import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndexes } from '../migrating/steps';

/** Readers of events ask for those from a time on. */
export class EventTimes1766100000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await buildIndexes(runner, ['create index facts_times on facts (at, fact_id)']);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index facts_times');
  }
}
