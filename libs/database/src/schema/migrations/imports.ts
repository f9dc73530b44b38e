import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the users, keys and runs of another service, which were imported, are called here. */
export class Imports1766210000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table if not exists imported_ids (
      source text not null,
      kind text not null,
      foreign_id text not null,
      local_id bigint not null,
      constraint imported_ids_pkey primary key (source, kind, foreign_id),
      constraint imported_ids_kind_check check (kind in ('user', 'key', 'run'))
    )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table imported_ids');
  }
}
