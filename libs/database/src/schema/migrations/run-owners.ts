import type { MigrationInterface, QueryRunner } from 'typeorm';
import { briefly } from '../migrating/session';
import { validateConstraints } from '../migrating/steps';

/** A run's key and requestor are checked together: one look for each row instead of two, and they must belong together. */
export class RunOwners1764300060000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await briefly(runner, ['runs', 'api_keys', 'users'], async () => {
      await runner.query(`alter table runs
        drop constraint if exists runs_requestor_id_fkey,
        drop constraint if exists runs_api_key_id_fkey,
        drop constraint if exists runs_api_key_id_requestor_id_fkey`);
      await runner.query('alter table api_keys drop constraint if exists api_keys_key_id_user_id_key');
      await runner.query(
        'alter table api_keys add constraint api_keys_key_id_user_id_key unique (key_id, user_id)',
      );
      await runner.query(`alter table runs add constraint runs_api_key_id_requestor_id_fkey
        foreign key (api_key_id, requestor_id) references api_keys (key_id, user_id) not valid`);
    });
    await validateConstraints(runner, ['runs']);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table runs
      drop constraint runs_api_key_id_requestor_id_fkey,
      add constraint runs_requestor_id_fkey foreign key (requestor_id) references users,
      add constraint runs_api_key_id_fkey foreign key (api_key_id) references api_keys`);
    await runner.query('alter table api_keys drop constraint api_keys_key_id_user_id_key');
  }
}
