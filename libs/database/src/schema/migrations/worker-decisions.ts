import type { MigrationInterface, QueryRunner } from 'typeorm';
import { briefly } from '../migrating/session';
import { validateConstraints } from '../migrating/steps';

const KINDS = `'cancel', 'reprioritise', 'publish', 'pause', 'resume', 'drain', 'undrain', 'trust', 'register', 'rotate', 'revoke'`;
const KINDS_OF_WORKERS = `'drain', 'undrain', 'trust', 'register', 'rotate', 'revoke'`;

/** A drain may have a deadline, and a user may quarantine a worker. */
export class WorkerDecisions1766300000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await briefly(runner, ['drains'], () =>
      runner.query('alter table drains add column if not exists deadline timestamptz(3)'),
    );
    await briefly(runner, ['orders'], () =>
      allowOrders(runner, `${KINDS}, 'quarantine'`, `${KINDS_OF_WORKERS}, 'quarantine'`),
    );
    await validateConstraints(runner, ['orders']);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`delete from orders where kind = 'quarantine'`);
    await allowOrders(runner, KINDS, KINDS_OF_WORKERS);
    await runner.query('alter table drains drop column deadline');
  }
}

/** Not valid: the rows that are there are not looked at behind a lock. */
async function allowOrders(runner: QueryRunner, kinds: string, kindsOfWorkers: string): Promise<void> {
  await runner.query(`
    alter table orders
      drop constraint if exists orders_kind_check,
      drop constraint if exists orders_worker_check,
      add constraint orders_kind_check check (kind in (${kinds})) not valid,
      add constraint orders_worker_check check ((kind in (${kindsOfWorkers})) = (worker is not null)) not valid`);
}
