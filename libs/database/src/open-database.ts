import { DataSource } from 'typeorm';
import { ApiKeys } from './api-keys';
import { AwaitedResults } from './awaited-results';
import { Cancellations } from './cancellations';
import { dataSourceOptions } from './data-source';
import { Database } from './database';
import { Decisions } from './decisions';
import { Facts } from './facts';
import { KeptAnswers } from './once';
import { DATABASE_LIMITS, type DatabaseLimits } from './limits';
import { Packages } from './packages';
import { PostgresJournal } from './postgres-journal';
import { PostgresOwnershipRegister } from './postgres-ownership-register';
import { Publications } from './publications';
import { PublicRuns } from './public-runs';
import { Results } from './results';
import { Retries } from './retries';
import { Submissions } from './submissions';
import { translated } from './unavailable';
import { Users } from './users';
import { WorkerRegister } from './worker-register';

/** Every store on one pool, without Nest. */
export interface OpenDatabase {
  users: Users;
  apiKeys: ApiKeys;
  submissions: Submissions;
  keptAnswers: KeptAnswers;
  retries: Retries;
  cancellations: Cancellations;
  decisions: Decisions;
  facts: Facts;
  publications: Publications;
  packages: Packages;
  results: Results;
  publicRuns: PublicRuns;
  journal: PostgresJournal;
  awaitedResults: AwaitedResults;
  ownershipRegister: PostgresOwnershipRegister;
  workerRegister: WorkerRegister;
  close(): Promise<void>;
}

/**
 * For the command line and tests; the schema must be there, see `migrate`.
 * @throws DatabaseUnavailable
 */
export async function openDatabase(url: string, limits: Partial<DatabaseLimits> = {}): Promise<OpenDatabase> {
  const allLimits = { ...DATABASE_LIMITS, ...limits };
  const dataSource = new DataSource(dataSourceOptions(url, allLimits));
  await dataSource.initialize().catch((error: unknown) => {
    throw translated(error);
  });
  const database = new Database(dataSource, allLimits);
  const apiKeys = new ApiKeys(database);
  return {
    users: new Users(database),
    apiKeys,
    submissions: new Submissions(database),
    keptAnswers: new KeptAnswers(database),
    retries: new Retries(database),
    cancellations: new Cancellations(database),
    decisions: new Decisions(database),
    facts: new Facts(database),
    publications: new Publications(database),
    packages: new Packages(database),
    results: new Results(database),
    publicRuns: new PublicRuns(database),
    journal: new PostgresJournal(database),
    awaitedResults: new AwaitedResults(database),
    ownershipRegister: new PostgresOwnershipRegister(database),
    workerRegister: new WorkerRegister(database),
    async close() {
      await apiKeys.onModuleDestroy();
      await dataSource.destroy();
    },
  };
}
