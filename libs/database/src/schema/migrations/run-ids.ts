import { RUN_ID_MAX } from '@proctor/contracts';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { refuseWhatWouldBeLost, widen } from '../migrating/widen';

/** Ids of runs have 64 bits; none is above 2^53 - 1, so that a JSON number tells each exactly. */
export class RunIds1764550000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await refuseWhatWouldBeLost(runner, ['facts', 'orders', 'attempts', 'runs']);
    for (const table of ['facts', 'orders', 'attempts']) await widen(runner, table, ['run_id']);
    // Last, so that no run gets an id that another table cannot hold.
    await widen(runner, 'runs', ['run_id', 'retry_of'], RUN_ID_MAX);
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
