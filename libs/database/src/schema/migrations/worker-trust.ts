import type { MigrationInterface, QueryRunner } from 'typeorm';
import { briefly } from '../migrating/session';
import { buildIndexes, validateConstraints } from '../migrating/steps';

/** A user can take a worker for sound; judgements of workers that are gone are removed. */
export class WorkerTrust1764800000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await briefly(runner, ['orders'], () =>
      runner.query(`
        alter table orders
          drop constraint if exists orders_kind_check,
          drop constraint if exists orders_worker_check,
          add constraint orders_kind_check
            check (kind in ('cancel', 'reprioritise', 'pause', 'resume', 'drain', 'undrain', 'trust')) not valid,
          add constraint orders_worker_check
            check ((kind in ('drain', 'undrain', 'trust')) = (worker is not null)) not valid`),
    );
    await validateConstraints(runner, ['orders']);
    await buildIndexes(runner, ['create index worker_judgements_old on worker_judgements (arch, at)']);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index worker_judgements_old');
    await runner.query(`delete from orders where kind = 'trust'`);
    await runner.query(`
      alter table orders drop constraint orders_kind_check, drop constraint orders_worker_check,
        add constraint orders_kind_check
          check (kind in ('cancel', 'reprioritise', 'pause', 'resume', 'drain', 'undrain')),
        add constraint orders_worker_check check ((kind in ('drain', 'undrain')) = (worker is not null))`);
  }
}
