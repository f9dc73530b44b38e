import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Packages that users follow, and the addresses of their feeds. */
export class FollowedPackages1765940000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table if not exists followed_packages (
      user_id integer not null,
      pattern text not null,
      primary key (user_id, pattern),
      constraint followed_packages_user_id_fkey foreign key (user_id) references users
    )`);
    await runner.query(`create table if not exists feed_addresses (
      user_id integer primary key,
      token text not null,
      constraint feed_addresses_token_key unique (token),
      constraint feed_addresses_user_id_fkey foreign key (user_id) references users
    )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table followed_packages, feed_addresses');
  }
}
