import type { MigrationInterface, QueryRunner } from 'typeorm';
import { briefly } from '../migrating/session';

/** Runs whose rows were removed. What users decided about them stays. */
export class RemovedRuns1766430000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table if not exists removed_runs (
        run_id bigint primary key,
        removed_by text not null,
        requestor_id integer,
        api_key_id integer,
        constraint removed_runs_owner_check check ((requestor_id is null) = (api_key_id is null))
      )`);
    await briefly(runner, ['orders'], () =>
      runner.query('alter table orders drop constraint if exists orders_run_id_fkey'),
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'delete from orders o where run_id is not null and not exists (select from runs r where r.run_id = o.run_id)',
    );
    await runner.query(
      'alter table orders add constraint orders_run_id_fkey foreign key (run_id) references runs',
    );
    await runner.query('drop table removed_runs');
  }
}
