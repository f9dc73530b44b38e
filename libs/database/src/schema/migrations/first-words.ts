import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndexes } from '../migrating/steps';

/** The triggers of a package, however long ago the last of their runs was requested: each by its first word, with its newest run first. */
export class FirstWords1766410000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // A word that is longer than an entry of an index may be must not keep a run from being requested.
    await buildIndexes(runner, [
      `create index runs_first_words on runs ((left(split_part(trigger, ' ', 1), 255) collate "C"), run_id desc)
        where trigger is not null and not is_private`,
    ]);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index runs_first_words');
  }
}
