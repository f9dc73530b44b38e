import { DataSource, type MigrationInterface } from 'typeorm';
import { MIGRATIONS } from '@libs/database/src/schema/migrations';
import { NUMERIC_TYPES } from '@libs/database/src/kit/numeric-types';

/** Does the work on a connection that knows these migrations. */
export async function withMigrations(
  url: string,
  migrations: (new () => MigrationInterface)[],
  work: (source: DataSource) => Promise<unknown>,
): Promise<void> {
  const source = await new DataSource({
    type: 'postgres',
    url,
    migrations,
    migrationsTransactionMode: 'each',
    extra: { types: NUMERIC_TYPES },
  }).initialize();
  try {
    await work(source);
  } finally {
    await source.destroy();
  }
}

/** Takes back the latest migrations. */
export function takeBack(url: string, count: number): Promise<void> {
  return withMigrations(url, MIGRATIONS, async (source) => {
    for (let taken = 0; taken < count; taken += 1) await source.undoLastMigration();
  });
}
