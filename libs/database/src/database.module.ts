import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { dataSourceOptions } from './kit/data-source';
import { Database } from './kit/database';
import { DATABASE_LIMITS, type DatabaseLimits, PUBLIC_DATABASE_LIMITS } from './kit/limits';
import type { OpenDatabase } from './open-database';
import { PublicRuns, STORES } from './stores';

/** The stores that use the first pool. */
const FIRST_STORES = Object.values(STORES).filter((store) => store !== PublicRuns);

/** A process that starts while PostgreSQL is unavailable tries this often, with this pause in milliseconds. */
const CONNECT_RETRIES = { retryAttempts: 30, retryDelay: 1_000 };

/** The name of the second pool. TypeOrmModule names its data source `publicDataSource`. */
const PUBLIC = 'public';

const PUBLIC_RUNS: Provider = {
  provide: PublicRuns,
  inject: [`${PUBLIC}DataSource`],
  useFactory: (pool: DataSource) => new PublicRuns(new Database(pool, PUBLIC_DATABASE_LIMITS)),
};

/** The stores, for every module of an application. The pool is closed with the application. */
@Module({})
export class DatabaseModule {
  static forRoot(url: string, limits: Partial<DatabaseLimits> = {}): DynamicModule {
    const allLimits = { ...DATABASE_LIMITS, ...limits };
    const database: Provider = {
      provide: Database,
      inject: [DataSource],
      useFactory: (pool: DataSource) => new Database(pool, allLimits),
    };
    return {
      module: DatabaseModule,
      global: true,
      imports: [poolOf(url, allLimits)],
      providers: [database, ...FIRST_STORES],
      exports: FIRST_STORES,
    };
  }

  /** The stores of a program that has opened the database itself and also closes it. */
  static of(database: OpenDatabase): DynamicModule {
    const names = Object.keys(STORES) as (keyof typeof STORES)[];
    return {
      module: DatabaseModule,
      global: true,
      providers: names.map((name) => ({ provide: STORES[name], useValue: database[name] })),
      exports: Object.values(STORES),
    };
  }

  /** The stores including PublicRuns, which has its own pool. */
  static forReaders(url: string, limits: Partial<DatabaseLimits> = {}): DynamicModule {
    const stores = DatabaseModule.forRoot(url, limits);
    return {
      ...stores,
      imports: [...stores.imports!, poolOf(url, PUBLIC_DATABASE_LIMITS, PUBLIC)],
      providers: [...stores.providers!, PUBLIC_RUNS],
      exports: Object.values(STORES),
    };
  }
}

/** Loads TypeOrmModule only if a pool is needed: commands without it start sooner. */
async function poolOf(url: string, limits: DatabaseLimits, name?: string): Promise<DynamicModule> {
  const { TypeOrmModule } = await import('@nestjs/typeorm');
  return TypeOrmModule.forRoot({
    ...dataSourceOptions(url, limits),
    ...CONNECT_RETRIES,
    ...(name && { name }),
  });
}
