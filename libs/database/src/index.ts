export { type KeyHolder, KeyRefused, type Requestor, type SealedRequest } from './people/api-keys';
export type { ApiKey, KeyLimits, NewApiKey, OwnedApiKey } from './people/api-key-statements';
export { type Actor, type AuditFilter, type AuditRecord, COMMAND_LINE } from './people/audit-log';
export type { Cancelled, Canceller } from './runs/cancellations';
export type { DrainedWorker } from './dispatch/decided';
export type { DayFilter, PackagesOfDay, PackagesOfPlace, RunsOfDay } from './statuses/day-statistics';
export type { ArchitectureHour, MachineHour } from './statuses/hour-figures';
export { DatabaseModule } from './database.module';
export {
  type ExpiredFile,
  type ExpiringContent,
  type ExpiryPlace,
  type SizedRuns,
  ExpiryUnderWay,
  type FileRemoval,
  type FoundAttempt,
} from './upkeep/expiry';
export type { ExpiringRun, StoryRun } from './upkeep/expiry-statements';
export type { RemovedRunsOfMonth, RunsOfMonth } from './statuses/package-months';
export type { KnownSourceNames } from './reading/source-names';
export type { OldRun } from './upkeep/removed-runs';
export type { PoolUse } from './kit/database';
export {
  REFUSED_LOGINS_MAX,
  REFUSED_LOGINS_OF_NETWORK_MAX,
  REFUSED_LOGINS_PER_HOUR_MAX,
} from './people/refused-logins';
export {
  REFERENCE_TRIGGER,
  TRIGGER_BYTES_LOOKED_AT_MAX,
  TRIGGER_WORDS_LOOKED_AT_MAX,
  OUTCOMES,
  type Outcome,
  type Outcomes,
} from './reading/trigger-statements';
export { SESSIONS_BEFORE_LOGIN_MAX } from './people/sessions';
export { DATABASE_LIMITS, type DatabaseLimits } from './kit/limits';
export type { Identity } from './people/identities';
export { ImportConflict, ImportUnderWay } from './upkeep/imports';
export type { ImportedRun } from './upkeep/import-statements';
export { Dump, type DumpDescription } from './upkeep/dump/dump';
export { EarlierMoment } from './upkeep/dump/earlier-moment';
export { BEFORE_BASELINE, isBeforeBaseline } from './schema/migrations';
export { CannotLoad, loadDump, type LoadedDump, requireEmpty } from './upkeep/dump/load';
export type { DumpedTable } from './upkeep/dump/tables';
export type { RestoreRecord } from './upkeep/backups';
export { migrate, NoUpgrade } from './schema/migrate';
export type { IdempotencyKey, Once } from './kit/once';
export type { Note, NoteAuthor, NoteText, RunFailure } from './reading/notes';
export { type OpenDatabase, openDatabase } from './open-database';
export type { StripEntry } from './statuses/package-status';
export type { PackageStatus } from './statuses/package-statuses';
export {
  SIGNATURES_COMPARED_MAX,
  type SignatureOrder,
  type SignatureSummary,
  type SignatureUse,
} from './reading/error-signatures';
export type { HistoryFilter } from './reading/package-pages';
export {
  PACKAGE_STATES,
  type PackageOfPrefix,
  type PackageState,
  type PrefixFilter,
  PrefixPages,
  type PrefixPlace,
} from './reading/prefix-pages';
export type { OwnRun, OwnRunFilter, OwnRunPage } from './runs/own-runs';
export type { KnownPackage } from './runs/packages';
export type { ListFilter } from './kit/list-filter';
export type { ListedMismatch } from './statuses/mismatch-statements';
export type { QueueLength, QueueRate, WaitingShare } from './reading/public-statements';
export type { RunRecord } from './runs/run-columns';
export { asOneRequest, asBackgroundWork } from './kit/request-wait';
export type { AttemptRecord } from './reading/results';
export type { RetryRefusal } from './runs/retries';
export type { DayCounts, StatusCounts, StatusPart, StatusRecord, StatusVersion } from './statuses/status';
export type { RunFilter, RunReader, RunsAmong } from './runs/run-search';
export type { BoundedCount, ListedStatus, PlaceKey, SplitSuite, StatusKey } from './statuses/status-lists';
export type { RunSelection, SelectedCount } from './runs/run-selection';
export { BrokenOff } from './kit/steps';
export type { SameError } from './reading/triage-runs';
export {
  type ReferenceRun,
  type BriefRun,
  type RunOfTrigger,
  type TestPlace,
  type Trigger,
  TRIGGER_RUNS_MAX,
} from './reading/trigger-runs';
export {
  type AffectedRun,
  type StoredTestbed,
  type PackageChange,
  type TestInLog,
} from './reading/run-testbeds';
export type { Follow } from './people/follows';
export { ASK_PAUSE_MINUTES, CONFIRM_HOURS_MAX, REFUSED_DAYS_MAX } from './mail/mail-addresses';
export type { MailSettings } from './mail/mail-addresses';
export type { DueMail, MailTrouble } from './mail/mail-address-statements';
export type { EndedRun, FollowedChanges, PlaceChange } from './mail/mail-changes';
export type { WebhookFilter } from './rows/webhook';
export * from './stores';
export type {
  DeliveryAttempt,
  DueDelivery,
  LogReader,
  Sender,
  WebhookChange,
} from './webhooks/webhook-deliveries';
export type { ClaimedWebhook, LoggedDelivery } from './webhooks/webhook-delivery-statements';
export type { MatchedWebhook } from './webhooks/webhook-events';
export type { Webhook, WebhookOwner, WebhookSettings } from './webhooks/webhooks';
export type { Submitter } from './runs/insert-runs';
export type { SupersedeRule } from './runs/superseding';
export { afterChange, DatabaseUnavailable } from './kit/unavailable';
export type { User, UserRecord, UserStanding } from './people/user-statements';
export { InvalidUserName, UnknownUser, UserExists } from './people/users';
export type { EndedAttempt, WorkerComparison, WorkerHour } from './reading/worker-pages';
export type {
  SeenWorker,
  WorkerRecord,
  WorkerRefusals,
  WorkerRegistration,
} from './dispatch/register-statements';
export { AccountsBusy, UnknownWorker, WorkerExists, WorkerRevoked } from './dispatch/worker-register';
