import type { MigrationInterface, QueryRunner } from 'typeorm';
import { briefly } from '../migrating/session';

/** Which image the testbed of a run was made of. */
export class ImagesOfRuns1766460000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await briefly(runner, ['runs'], () =>
      runner.query('alter table runs add column if not exists image jsonb'),
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table runs drop column image');
  }
}
