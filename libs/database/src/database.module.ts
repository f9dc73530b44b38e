import { type DynamicModule, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ApiKeys } from './api-keys';
import { dataSourceOptions } from './data-source';
import { Database } from './database';
import { DATABASE_LIMITS, type DatabaseLimits } from './limits';
import { PostgresJournal } from './postgres-journal';
import { PostgresOwnershipRegister } from './postgres-ownership-register';
import { PublicRuns } from './public-runs';
import { Results } from './results';
import { Submissions } from './submissions';
import { Users } from './users';

const STORES = [Users, ApiKeys, Submissions, Results, PublicRuns, PostgresJournal, PostgresOwnershipRegister];

/** A process that starts while PostgreSQL is away waits for it, this often and this long between. */
const CONNECT_RETRIES = { retryAttempts: 30, retryDelay: 1_000 };

/** The stores, for every module of an application; the pool is closed when the application is. */
@Module({})
export class DatabaseModule {
  static forRoot(url: string, limits: Partial<DatabaseLimits> = {}): DynamicModule {
    const options = dataSourceOptions(url, { ...DATABASE_LIMITS, ...limits });
    return {
      module: DatabaseModule,
      global: true,
      imports: [TypeOrmModule.forRoot({ ...options, ...CONNECT_RETRIES })],
      providers: [Database, ...STORES],
      exports: STORES,
    };
  }
}
