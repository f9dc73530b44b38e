import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who the users are to whom login providers have vouched. */
export class Identities1765920000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table if not exists identities (
      issuer text not null,
      subject text not null,
      user_id integer not null,
      created_at timestamptz(3) not null default now(),
      constraint identities_pkey primary key (issuer, subject),
      constraint identities_user_id_fkey foreign key (user_id) references users
    )`);
    await runner.query('create index if not exists identities_user on identities (user_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table identities');
  }
}
