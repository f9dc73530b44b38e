import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The folder with the statements of the baseline. `tables.sql` is generated: `npm run baseline`. */
export const BASELINE_FOLDER = join(__dirname, 'baseline');

/** The schema of 1.0.0, whole. It is not changed after that release: later migrations change what it made. */
export class Baseline1766500000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const name of ['before-tables', 'tables', 'after-tables'])
      await runner.query(readFileSync(join(BASELINE_FOLDER, `${name}.sql`), 'utf8'));
  }

  down(): Promise<void> {
    throw new Error('nothing was before the baseline: drop the database instead');
  }
}
