import { ApiKeys } from './people/api-keys';
import { AuditLog } from './people/audit-log';
import { AwaitedReports } from './dispatch/awaited-reports';
import { Backups } from './upkeep/backups';
import { Cancellations } from './runs/cancellations';
import { DayStatistics } from './statuses/day-statistics';
import { Decisions } from './dispatch/decisions';
import { ErrorSignatures } from './reading/error-signatures';
import { Expiry } from './upkeep/expiry';
import { Facts } from './runs/facts';
import { HourFigures } from './statuses/hour-figures';
import { Identities } from './people/identities';
import { Imports } from './upkeep/imports';
import { Follows } from './people/follows';
import { KeptAnswers } from './kit/once';
import { MailAddresses } from './mail/mail-addresses';
import { MailChanges } from './mail/mail-changes';
import { Notes } from './reading/notes';
import { PackageMonths } from './statuses/package-months';
import { PackagePages } from './reading/package-pages';
import { OwnRuns } from './runs/own-runs';
import { Packages } from './runs/packages';
import { PostgresJournal } from './dispatch/postgres-journal';
import { PostgresOwnershipRegister } from './dispatch/postgres-ownership-register';
import { PrefixPages } from './reading/prefix-pages';
import { Publications } from './runs/publications';
import { PublicRuns } from './reading/public-runs';
import { RemovedRuns } from './upkeep/removed-runs';
import { Results } from './reading/results';
import { Retries } from './runs/retries';
import { RunEvents } from './runs/run-events';
import { RunPages } from './reading/run-pages';
import { RunSearch } from './runs/run-search';
import { StatusLists } from './statuses/status-lists';
import { RunTestbeds } from './reading/run-testbeds';
import { SourceNames } from './reading/source-names';
import { StatusProjection } from './statuses/status-projection';
import { Sessions } from './people/sessions';
import { EqualRuns } from './runs/equal-runs';
import { Submissions } from './runs/submissions';
import { Superseding } from './runs/superseding';
import { TriageRuns } from './reading/triage-runs';
import { TriggerRuns } from './reading/trigger-runs';
import { Users } from './people/users';
import { Vitals } from './upkeep/vitals';
import { WebhookDeliveries } from './webhooks/webhook-deliveries';
import { WebhookEvents } from './webhooks/webhook-events';
import { Webhooks } from './webhooks/webhooks';
import { WorkerPages } from './reading/worker-pages';
import { WorkerRegister } from './dispatch/worker-register';

/**
 * The stores: the part of the database that other code may use. A new store is added only here: DatabaseModule
 * provides it to Nest, `openDatabase` to programs without Nest, and the library exports it.
 */
export const STORES = {
  users: Users,
  apiKeys: ApiKeys,
  submissions: Submissions,
  superseding: Superseding,
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
  hourFigures: HourFigures,
  publicRuns: PublicRuns,
  sessions: Sessions,
  auditLog: AuditLog,
  identities: Identities,
  ownRuns: OwnRuns,
  follows: Follows,
  mailAddresses: MailAddresses,
  mailChanges: MailChanges,
  vitals: Vitals,
  imports: Imports,
  webhooks: Webhooks,
  webhookEvents: WebhookEvents,
  webhookDeliveries: WebhookDeliveries,
};

/** An instance of each store, by name. */
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
  Follows,
  MailAddresses,
  MailChanges,
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
  HourFigures,
  Sessions,
  EqualRuns,
  Submissions,
  Superseding,
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
