import { DataSource } from 'typeorm';
import { dataSourceOptions } from './kit/data-source';
import { Database } from './kit/database';
import { DATABASE_LIMITS, type DatabaseLimits } from './kit/limits';
import { type Stores, STORES } from './stores';
import { asUnavailable } from './kit/unavailable';

/** All stores on one pool, without Nest. */
export interface OpenDatabase extends Stores {
  close(): Promise<void>;
}

/** Opens the database for the command line and tests. The schema must exist, see `migrate`. */
export async function openDatabase(url: string, limits: Partial<DatabaseLimits> = {}): Promise<OpenDatabase> {
  const allLimits = { ...DATABASE_LIMITS, ...limits };
  const dataSource = new DataSource(dataSourceOptions(url, allLimits));
  await dataSource.initialize().catch((error: unknown) => {
    throw asUnavailable(error);
  });
  const database = new Database(dataSource, allLimits);
  const stores = storesOn(database);
  return {
    ...stores,
    async close() {
      await stores.apiKeys.onModuleDestroy();
      await dataSource.destroy();
    },
  };
}

function storesOn(database: Database): Stores {
  const stores = Object.entries(STORES).map(([name, Store]) => [name, new Store(database)]);
  return Object.fromEntries(stores) as Stores;
}
