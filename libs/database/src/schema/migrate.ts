import { setTimeout as pause } from 'node:timers/promises';
import { DataSource, MigrationExecutor, type QueryRunner } from 'typeorm';
import { DATABASE_LIMITS } from '../kit/limits';
import { BEFORE_BASELINE, isBeforeBaseline, MIGRATIONS } from './migrations';
import { NUMERIC_TYPES } from '../kit/numeric-types';
import { peerSocket } from '../kit/peer-socket';
import { Servers } from '../kit/servers';
import { prepareSession, type MigrateOptions, patiently, logProgress } from './session';
import { asUnavailable } from '../kit/unavailable';

/** Key of the advisory lock that one migrating process holds. */
const MIGRATION_LOCK = '5787213827046133840';

const LOCK_POLL_MS = 200;

/** The database has a version that cannot be upgraded; nothing was changed. */
export class NoUpgrade extends Error {
  override readonly name = 'NoUpgrade';
}

/**
 * Brings the schema up to date while others use the database. A second process waits and then has nothing to do. Each
 * migration is one transaction, or consists of steps that can be repeated: the next call completes an interrupted
 * one.
 * @returns the names of the migrations that it ran, in order
 * @throws DatabaseUnavailable; NoUpgrade if the version is too old; TableInUse if another transaction holds a table
 * for long
 */
export async function migrate(url: string, options: MigrateOptions = {}): Promise<string[]> {
  const primary = await Servers.primaryOf(url);
  const { upTo } = options;
  const dataSource = await new DataSource({
    type: 'postgres',
    url: primary,
    applicationName: 'proctor migrate',
    migrations: upTo ? MIGRATIONS.filter(({ name }) => upTo.includes(name)) : MIGRATIONS,
    // Silent: TypeORM would print each try that did not get its lock.
    logger: 'debug',
    // The lock and the work share a connection: if it is lost, both end.
    poolSize: 1,
    connectTimeoutMS: DATABASE_LIMITS.connectTimeoutMs,
    extra: { keepAlive: true, types: NUMERIC_TYPES, ...peerSocket(primary) },
  })
    .initialize()
    .catch((error: unknown) => {
      throw asUnavailable(error);
    });
  const runner = dataSource.createQueryRunner();
  try {
    await prepareSession(runner, options);
    await lockMigrations(runner);
    try {
      return await runPending(dataSource, runner);
    } finally {
      // A lost connection has already lost the lock.
      await runner.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => undefined);
    }
  } finally {
    await runner.release();
    await dataSource.destroy();
  }
}

/** Runs the migrations that have not run yet. @returns their names */
export async function runPending(dataSource: DataSource, runner: QueryRunner): Promise<string[]> {
  const executor = new MigrationExecutor(dataSource, runner);
  executor.transaction = 'each';
  const namesOfDone = async () => (await executor.getExecutedMigrations()).map(({ name }) => name).reverse();
  const before = new Set(await namesOfDone());
  if (isBeforeBaseline([...before]))
    throw new NoUpgrade(`the database cannot be migrated: ${BEFORE_BASELINE}; use a new, empty database`);
  await patiently(runner, () => executor.executePendingMigrations());
  return (await namesOfDone()).filter((name) => !before.has(name));
}

/**
 * Tries the lock at intervals: a statement that waits would hold a snapshot, and building an index would wait for
 * that.
 */
async function lockMigrations(runner: QueryRunner): Promise<void> {
  for (let isFirst = true; ; isFirst = false) {
    const [row] = (await runner.query('select pg_try_advisory_lock($1) as "isMine"', [MIGRATION_LOCK])) as [
      { isMine: boolean },
    ];
    if (row.isMine) return;
    if (isFirst) logProgress(runner, 'another process migrates: waiting for it');
    await pause(LOCK_POLL_MS);
  }
}
