import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The packages that each suite has. */
export class SourceNames1766480000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table if not exists source_names (
        suite text not null,
        arch text not null,
        worker text not null,
        digest bytea not null,
        content bytea not null,
        at timestamptz(3) not null,
        primary key (suite, arch)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table source_names');
  }
}
