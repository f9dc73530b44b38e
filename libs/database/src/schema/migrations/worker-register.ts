import type { MigrationInterface, QueryRunner } from 'typeorm';
import { briefly } from '../migrating/session';
import { validateConstraints } from '../migrating/steps';

/** Who is a worker, for which architectures, and by which key; who changed that is an order. */
export class WorkerRegister1765100000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(WORKERS);
    await briefly(runner, ['orders'], () =>
      runner.query(`
        alter table orders
          drop constraint if exists orders_kind_check,
          drop constraint if exists orders_worker_check,
          add constraint orders_kind_check check (kind in
            ('cancel', 'reprioritise', 'pause', 'resume', 'drain', 'undrain', 'trust', 'register', 'rotate', 'revoke'))
            not valid,
          add constraint orders_worker_check check
            ((kind in ('drain', 'undrain', 'trust', 'register', 'rotate', 'revoke')) = (worker is not null)) not valid`),
    );
    await validateConstraints(runner, ['orders']);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`delete from orders where kind in ('register', 'rotate', 'revoke')`);
    await runner.query(`
      alter table orders drop constraint orders_kind_check, drop constraint orders_worker_check,
        add constraint orders_kind_check
          check (kind in ('cancel', 'reprioritise', 'pause', 'resume', 'drain', 'undrain', 'trust')),
        add constraint orders_worker_check check ((kind in ('drain', 'undrain', 'trust')) = (worker is not null))`);
    await runner.query('drop table workers');
  }
}

const WORKERS = `
  create table if not exists workers (
    name text primary key,
    public_key text not null constraint workers_public_key_key unique,
    architectures text[] not null,
    may_run_private boolean not null,
    created_at timestamptz(3) not null,
    revoked_at timestamptz(3),
    last_seen_at timestamptz(3),
    last_seen_from text,
    refusals bigint not null default 0,
    last_refusal text,
    last_refused_at timestamptz(3),
    constraint workers_public_key_check check (public_key ~ '^U[A-Z2-7]{55}$'),
    constraint workers_architectures_check check (cardinality(architectures) > 0)
  )`;
