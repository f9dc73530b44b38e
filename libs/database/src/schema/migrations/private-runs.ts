import type { MigrationInterface, QueryRunner } from 'typeorm';
import { briefly, waiting } from '../migrating/session';
import { buildIndexes, validateConstraints } from '../migrating/steps';

const KINDS = `'cancel', 'reprioritise', 'pause', 'resume', 'drain', 'undrain', 'trust', 'register', 'rotate', 'revoke'`;

/** What everybody is told does not depend on private runs; dispatchers hear of a publication. */
export class PrivateRuns1765200000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await briefly(runner, ['orders'], () =>
      allowOrders(runner, `${KINDS}, 'publish'`, `'cancel', 'reprioritise', 'publish'`),
    );
    await validateConstraints(runner, ['orders']);
    // How much of it private runs have used is not known any more: everybody is told as if it was all.
    await briefly(runner, ['usage'], () =>
      runner.query(
        'alter table usage add column if not exists public_slot_ms double precision not null default 0',
      ),
    );
    await runner.query(
      'create sequence if not exists private_package_ids as integer increment -1 maxvalue -1 start -1',
    );
    await buildIndexes(runner, [
      `create index runs_public_queues on runs (suite, arch, state, created_at)
        where state <> 'finished' and not is_private`,
      `create index runs_private_queues on runs (suite, arch, state, created_at)
        where state <> 'finished' and is_private`,
    ]);
    await waiting(runner, () => runner.query('drop index concurrently if exists runs_queues'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `create index runs_queues on runs (suite, arch, state, created_at) where state <> 'finished'`,
    );
    await runner.query('drop index runs_public_queues, runs_private_queues');
    await runner.query('drop sequence private_package_ids');
    await runner.query('alter table usage drop column public_slot_ms');
    await runner.query(`delete from orders where kind = 'publish'`);
    await allowOrders(runner, KINDS, `'cancel', 'reprioritise'`);
  }
}

/** Not valid: the rows that are there are not looked at behind a lock. */
async function allowOrders(runner: QueryRunner, kinds: string, kindsOfRuns: string): Promise<void> {
  await runner.query(`
    alter table orders
      drop constraint if exists orders_kind_check,
      drop constraint if exists orders_run_check,
      add constraint orders_kind_check check (kind in (${kinds})) not valid,
      add constraint orders_run_check check ((kind in (${kindsOfRuns})) = (run_id is not null)) not valid`);
}
