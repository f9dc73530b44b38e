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

/** The database is of a version from which there is no upgrade; nothing was changed. */
export class NoUpgrade extends Error {
  override readonly name = 'NoUpgrade';
}

/**
 * Brings the schema up to date, while others use the database; a second process that comes meanwhile waits and then finds
 * nothing to do. Each migration is a transaction, or consists of steps that each can be done again: one that was broken
 * off is completed by the next call.
 * @returns the names of the migrations that it ran, in order
 * @throws DatabaseUnavailable; NoUpgrade; TableInUse when another transaction holds a table for long
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
    // The lock and the work share a connection: who loses it has lost both.
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
      // A connection that was lost has lost the lock too.
      await runner.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => undefined);
    }
  } finally {
    await runner.release();
    await dataSource.destroy();
  }
}

/** @returns the names of those that ran */
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

/** Asked for at intervals: a statement that waits would hold a snapshot, which building an index waits for. */
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
