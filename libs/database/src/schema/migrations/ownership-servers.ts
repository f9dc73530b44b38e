import type { MigrationInterface, QueryRunner } from 'typeorm';
import { briefly } from '../migrating/session';

/**
 * An ownership ends with the server under which it was taken. One of before has none: it is taken again by the first
 * scheduler that asks.
 */
export class OwnershipServers1765300000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await briefly(runner, ['dispatchers'], () =>
      runner.query(
        'alter table dispatchers add column if not exists server_started_at timestamp with time zone',
      ),
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table dispatchers drop column server_started_at');
  }
}
