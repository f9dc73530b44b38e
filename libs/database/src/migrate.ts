import { DataSource } from 'typeorm';
import { MIGRATIONS } from './migrations';

/** Key of the advisory lock that one migrating process holds. */
const MIGRATION_LOCK = '5787213827046133840';

/**
 * Brings the schema up to date; a second process that comes meanwhile waits and then finds nothing to do.
 * @returns the names of the migrations that it ran, in order
 */
export async function migrate(url: string): Promise<string[]> {
  const dataSource = await new DataSource({
    type: 'postgres',
    url,
    applicationName: 'proctor migrate',
    migrations: MIGRATIONS,
    // One connection holds the lock, the other migrates.
    poolSize: 2,
  }).initialize();
  try {
    const lock = dataSource.createQueryRunner();
    await lock.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    try {
      return (await dataSource.runMigrations({ transaction: 'all' })).map((migration) => migration.name);
    } finally {
      await lock.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]);
      await lock.release();
    }
  } finally {
    await dataSource.destroy();
  }
}
