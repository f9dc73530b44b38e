import { KEY_SCOPES } from '@proctor/contracts';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { briefly } from '../migrating/session';
import { isOneOf } from '../../rows/words';

/** What a key may do and until when, and the users who may not come in any more. */
export class Access1766200000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await briefly(runner, ['users'], () =>
      runner.query(`alter table users
        add column if not exists disabled_at timestamptz(3),
        add column if not exists removed_at timestamptz(3)`),
    );
    await briefly(runner, ['api_keys'], async () => {
      await runner.query(`alter table api_keys
        add column if not exists expires_at timestamptz(3),
        add column if not exists scope text not null default 'everything'`);
      await runner.query('alter table api_keys drop constraint if exists api_keys_scope_check');
      await runner.query(
        `alter table api_keys add constraint api_keys_scope_check check (${isOneOf('scope', KEY_SCOPES)})`,
      );
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table api_keys drop column scope, drop column expires_at');
    await runner.query('alter table users drop column removed_at, drop column disabled_at');
  }
}
