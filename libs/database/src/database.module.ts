import { type DynamicModule, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ApiKeys } from './api-keys';
import { Cancellations } from './cancellations';
import { dataSourceOptions } from './data-source';
import { Database } from './database';
import { Decisions } from './decisions';
import { Facts } from './facts';
import { KeptAnswers } from './kept-answers';
import { DATABASE_LIMITS, type DatabaseLimits } from './limits';
import { Packages } from './packages';
import { PostgresJournal } from './postgres-journal';
import { PostgresOwnershipRegister } from './postgres-ownership-register';
import { Publications } from './publications';
import { PublicRuns } from './public-runs';
import { Results } from './results';
import { Retries } from './retries';
import { Submissions } from './submissions';
import { Users } from './users';

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
  PublicRuns,
  PostgresJournal,
  PostgresOwnershipRegister,
];

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
