import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When backups were made, and from which moment the database was restored. */
export class Backups1766010000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const table of TABLES) await runner.query(table);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table backups, restores');
  }
}

const TABLES = [
  `create table if not exists backups (
    taken_at timestamptz(3) primary key,
    ended_at timestamptz(3) not null,
    bytes bigint not null
  )`,
  `create table if not exists restores (
    restored_at timestamptz(3) primary key,
    taken_at timestamptz(3) not null,
    first_lost_run bigint not null,
    next_run bigint not null,
    files_missing integer not null
  )`,
];
