import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { getDataSourceToken, TypeOrmModule } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { ApiKeys } from './api-keys';
import { AwaitedResults } from './awaited-results';
import { Cancellations } from './cancellations';
import { dataSourceOptions } from './data-source';
import { Database } from './database';
import { Decisions } from './decisions';
import { Facts } from './facts';
import { KeptAnswers } from './once';
import { DATABASE_LIMITS, type DatabaseLimits, PUBLIC_DATABASE_LIMITS } from './limits';
import { Packages } from './packages';
import { PostgresJournal } from './postgres-journal';
import { PostgresOwnershipRegister } from './postgres-ownership-register';
import { Publications } from './publications';
import { PublicRuns } from './public-runs';
import { Results } from './results';
import { Retries } from './retries';
import { Submissions } from './submissions';
import { Users } from './users';
import { WorkerRegister } from './worker-register';

const STORES = [
  Users,
  ApiKeys,
  Submissions,
  KeptAnswers,
  Retries,
  Cancellations,
  Decisions,
  Facts,
  Publications,
  Packages,
  Results,
  AwaitedResults,
  PostgresJournal,
  PostgresOwnershipRegister,
  WorkerRegister,
];

/** A process that starts while PostgreSQL is away waits for it, this often and this long between. */
const CONNECT_RETRIES = { retryAttempts: 30, retryDelay: 1_000 };

/** The name of the second pool. */
const PUBLIC = 'public';

const PUBLIC_RUNS: Provider = {
  provide: PublicRuns,
  inject: [getDataSourceToken(PUBLIC)],
  useFactory: (pool: DataSource) => new PublicRuns(new Database(pool, PUBLIC_DATABASE_LIMITS)),
};

/** The stores, for every module of an application; the pool is closed when the application is. */
@Module({})
export class DatabaseModule {
  static forRoot(url: string, limits: Partial<DatabaseLimits> = {}): DynamicModule {
    const allLimits = { ...DATABASE_LIMITS, ...limits };
    const database: Provider = {
      provide: Database,
      inject: [getDataSourceToken()],
      useFactory: (pool: DataSource) => new Database(pool, allLimits),
    };
    return {
      module: DatabaseModule,
      global: true,
      imports: [poolOf(url, allLimits)],
      providers: [database, ...STORES],
      exports: STORES,
    };
  }

  /** With PublicRuns, which has a pool of its own. */
  static forReaders(url: string, limits: Partial<DatabaseLimits> = {}): DynamicModule {
    const stores = DatabaseModule.forRoot(url, limits);
    return {
      ...stores,
      imports: [...stores.imports!, poolOf(url, PUBLIC_DATABASE_LIMITS, PUBLIC)],
      providers: [...stores.providers!, PUBLIC_RUNS],
      exports: [...STORES, PublicRuns],
    };
  }
}

function poolOf(url: string, limits: DatabaseLimits, name?: string): DynamicModule {
  return TypeOrmModule.forRoot({
    ...dataSourceOptions(url, limits),
    ...CONNECT_RETRIES,
    ...(name && { name }),
  });
}
