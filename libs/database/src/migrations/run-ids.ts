import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Ids of runs have 64 bits; no id is above 2^53 - 1, so that a JSON number tells each exactly. */
export class RunIds1764550000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table facts alter column run_id type bigint');
    await runner.query('alter table orders alter column run_id type bigint');
    await runner.query('alter table attempts alter column run_id type bigint');
    await runner.query('alter table runs alter column run_id type bigint, alter column retry_of type bigint');
    await runner.query('alter sequence runs_run_id_seq as bigint maxvalue 9007199254740991');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter sequence runs_run_id_seq as integer maxvalue 2147483647');
    await runner.query(
      'alter table runs alter column run_id type integer, alter column retry_of type integer',
    );
    await runner.query('alter table attempts alter column run_id type integer');
    await runner.query('alter table orders alter column run_id type integer');
    await runner.query('alter table facts alter column run_id type integer');
  }
}
