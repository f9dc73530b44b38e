import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndexes } from '../migrating/steps';

/** Which runs a new version of a package has triggered. A trigger is a list of words, as a rule `package/version`. */
export class RunsOfTriggers1765700000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // A word that is longer than an entry of an index may be must not keep a run from being requested.
    await buildIndexes(runner, [
      `create index runs_triggers on runs
        using gin ((case when trigger !~ '[^ ]{255}' then string_to_array(trigger, ' ') end))
        where trigger is not null`,
    ]);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index runs_triggers');
  }
}
