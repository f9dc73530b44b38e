import { ApiKeys } from './api-keys';
import { AuditLog } from './audit-log';
import { AwaitedReports } from './awaited-reports';
import { Backups } from './backups';
import { Cancellations } from './cancellations';
import { DayStatistics } from './day-statistics';
import { Decisions } from './decisions';
import { ErrorSignatures } from './error-signatures';
import { Expiry } from './expiry';
import { Facts } from './facts';
import { Identities } from './identities';
import { Imports } from './imports';
import { FollowedPackages } from './followed-packages';
import { KeptAnswers } from './once';
import { Notes } from './notes';
import { PackageMonths } from './package-months';
import { PackagePages } from './package-pages';
import { OwnRuns } from './own-runs';
import { Packages } from './packages';
import { PostgresJournal } from './postgres-journal';
import { PostgresOwnershipRegister } from './postgres-ownership-register';
import { PrefixPages } from './prefix-pages';
import { Publications } from './publications';
import { PublicRuns } from './public-runs';
import { RemovedRuns } from './removed-runs';
import { Results } from './results';
import { Retries } from './retries';
import { RunEvents } from './run-events';
import { RunPages } from './run-pages';
import { RunSearch } from './run-search';
import { StatusLists } from './status-lists';
import { RunTestbeds } from './run-testbeds';
import { SourceNames } from './source-names';
import { StatusProjection } from './status-projection';
import { Sessions } from './sessions';
import { EqualRuns } from './equal-runs';
import { Submissions } from './submissions';
import { TriageRuns } from './triage-runs';
import { TriggerRuns } from './trigger-runs';
import { Users } from './users';
import { Vitals } from './vitals';
import { WebhookDeliveries } from './webhook-deliveries';
import { WebhookEvents } from './webhook-events';
import { Webhooks } from './webhooks';
import { WorkerPages } from './worker-pages';
import { WorkerRegister } from './worker-register';

/**
 * The stores: what other parts of the product see of the database. A new one is added to this file
 * alone: DatabaseModule gives it to Nest, `openDatabase` to those without Nest, and the library exports it.
 */
export const STORES = {
  users: Users,
  apiKeys: ApiKeys,
  submissions: Submissions,
  equalRuns: EqualRuns,
  keptAnswers: KeptAnswers,
  retries: Retries,
  cancellations: Cancellations,
  decisions: Decisions,
  errorSignatures: ErrorSignatures,
  expiry: Expiry,
  facts: Facts,
  publications: Publications,
  notes: Notes,
  packages: Packages,
  packageMonths: PackageMonths,
  packagePages: PackagePages,
  prefixPages: PrefixPages,
  removedRuns: RemovedRuns,
  results: Results,
  awaitedReports: AwaitedReports,
  backups: Backups,
  journal: PostgresJournal,
  ownershipRegister: PostgresOwnershipRegister,
  workerRegister: WorkerRegister,
  workerPages: WorkerPages,
  runEvents: RunEvents,
  runPages: RunPages,
  runSearch: RunSearch,
  triageRuns: TriageRuns,
  triggerRuns: TriggerRuns,
  runTestbeds: RunTestbeds,
  sourceNames: SourceNames,
  statusProjection: StatusProjection,
  statusLists: StatusLists,
  dayStatistics: DayStatistics,
  publicRuns: PublicRuns,
  sessions: Sessions,
  auditLog: AuditLog,
  identities: Identities,
  ownRuns: OwnRuns,
  followedPackages: FollowedPackages,
  vitals: Vitals,
  imports: Imports,
  webhooks: Webhooks,
  webhookEvents: WebhookEvents,
  webhookDeliveries: WebhookDeliveries,
};

/** One of each, by name. */
export type Stores = { [Name in keyof typeof STORES]: InstanceType<(typeof STORES)[Name]> };

export {
  ApiKeys,
  AuditLog,
  AwaitedReports,
  Backups,
  Cancellations,
  Decisions,
  ErrorSignatures,
  Expiry,
  Facts,
  Identities,
  FollowedPackages,
  Imports,
  KeptAnswers,
  Notes,
  PackageMonths,
  PackagePages,
  PrefixPages,
  OwnRuns,
  Packages,
  PostgresJournal,
  PostgresOwnershipRegister,
  Publications,
  PublicRuns,
  RemovedRuns,
  Results,
  Retries,
  RunEvents,
  RunPages,
  RunSearch,
  RunTestbeds,
  SourceNames,
  StatusProjection,
  StatusLists,
  DayStatistics,
  Sessions,
  EqualRuns,
  Submissions,
  TriageRuns,
  TriggerRuns,
  Users,
  Vitals,
  WebhookDeliveries,
  WebhookEvents,
  Webhooks,
  WorkerPages,
  WorkerRegister,
};
