import { ApiKeys } from './api-keys';
import { AwaitedReports } from './awaited-reports';
import { Cancellations } from './cancellations';
import { Decisions } from './decisions';
import { Facts } from './facts';
import { KeptAnswers } from './once';
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

/**
 * The stores: what other parts of the product see of the database. A new one is added to this file
 * alone: DatabaseModule gives it to Nest, `openDatabase` to those without Nest, and the library exports it.
 */
export const STORES = {
  users: Users,
  apiKeys: ApiKeys,
  submissions: Submissions,
  keptAnswers: KeptAnswers,
  retries: Retries,
  cancellations: Cancellations,
  decisions: Decisions,
  facts: Facts,
  publications: Publications,
  packages: Packages,
  results: Results,
  awaitedReports: AwaitedReports,
  journal: PostgresJournal,
  ownershipRegister: PostgresOwnershipRegister,
  workerRegister: WorkerRegister,
  publicRuns: PublicRuns,
};

/** One of each, by name. */
export type Stores = { [Name in keyof typeof STORES]: InstanceType<(typeof STORES)[Name]> };

export {
  ApiKeys,
  AwaitedReports,
  Cancellations,
  Decisions,
  Facts,
  KeptAnswers,
  Packages,
  PostgresJournal,
  PostgresOwnershipRegister,
  Publications,
  PublicRuns,
  Results,
  Retries,
  Submissions,
  Users,
  WorkerRegister,
};
