export {
  type KeyHolder,
  KeyRefused,
  type NewApiKeyOnce,
  type Requestor,
  type SealedRequest,
} from './api-keys';
export type { ApiKey, KeyLimits, NewApiKey, OwnedApiKey } from './api-key-statements';
export {
  type Actor,
  AUDIT_ACTIONS,
  type AuditAction,
  type AuditEntry,
  type AuditFilter,
  type AuditRecord,
  COMMAND_LINE,
} from './audit-log';
export type { Cancelled, Canceller } from './cancellations';
export type { DrainedWorker } from './decided';
export { type PauseScope, scopeName } from './decisions';
export type { PackagesOfDay, PackagesOfPlace, RunsOfDay } from './day-statements';
export type { DayFilter } from './day-statistics';
export { DatabaseModule } from './database.module';
export {
  type ExpiredFile,
  type ExpiringContent,
  type ExpiryPlace,
  type SizedRuns,
  ExpiryUnderWay,
  type FileRemoval,
  type FoundAttempt,
} from './expiry';
export type { ExpiringRun, StoryRun } from './expiry-statements';
export type { RemovedRunsOfMonth, RunsOfMonth } from './package-months';
export type { KnownSourceNames, OfferedSourceNames, SourceNamesPlace } from './source-names';
export type { RunRemoval } from './removed-runs';
export type { OldRun } from './removed-run-statements';
export type { PoolUse } from './database';
export { type DatabaseServer, type DatabaseVitals, FACTS_COUNTED_MAX, type SchemaState } from './vitals';
export {
  REFUSED_LOGINS_MAX,
  REFUSED_LOGINS_OF_NETWORK_MAX,
  REFUSED_LOGINS_PER_HOUR_MAX,
} from './refused-logins';
export { TRIGGER_BYTES_LOOKED_AT_MAX, TRIGGER_WORDS_LOOKED_AT_MAX } from './trigger-statements';
export { SESSIONS_BEFORE_LOGIN_MAX } from './sessions';
export { DATABASE_LIMITS, type DatabaseLimits } from './limits';
export type { Identity, LoggedIn, WhoLoggedIn } from './identities';
export { ImportConflict, ImportUnderWay, type ImportedKey, type ImportedUser } from './imports';
export type { ImportedRun } from './import-statements';
export { Dump, type DumpDescription } from './dump/dump';
export { EarlierMoment } from './dump/earlier-moment';
export { CannotLoad, loadDump, type LoadedDump, requireEmpty } from './dump/load';
export type { DumpedTable } from './dump/tables';
export type { RestoreRecord } from './backups';
export { migrate } from './migrate';
export type { IdempotencyKey, Once } from './once';
export type { Note, NoteAuthor, NoteText, RunFailure } from './notes';
export { NOTE_SUBJECTS, type NoteSubject } from './rows/note';
export { type OpenDatabase, openDatabase } from './open-database';
export type { StripEntry } from './package-status';
export type { PackageStatus } from './package-statuses';
export {
  SIGNATURE_RUNS_MAX,
  SIGNATURES_COMPARED_MAX,
  type SignatureOrder,
  type SignatureSummary,
  type SignatureUse,
} from './error-signatures';
export type { HistoryFilter } from './package-pages';
export { PACKAGE_STATES, PrefixPages } from './prefix-pages';
export type { PackageOfPrefix, PackageState, PrefixFilter, PrefixPlace } from './prefix-pages';
export type { OwnRunFilter, OwnRunPage } from './own-runs';
export type { KnownPackage, OwnBackend } from './packages';
export type { ListFilter } from './list-filter';
export type { ListedMismatch } from './mismatch-statements';
export type { PackageSuite } from './public-runs';
export type { QueueLength, QueueRate } from './public-statements';
export type { RunRecord } from './run-columns';
export { asOneRequest, besideRequests } from './request-wait';
export type { AttemptRecord, ResultsSince } from './results';
export type { NotRetried, Retried, Retrier } from './retries';
export type { DayCounts, StatusCounts, StatusPart, StatusRecord, StatusVersion } from './status';
export type { RunFilter, RunReader, RunsAmong } from './run-search';
export type { BoundedCount, ListedStatus, PlaceKey, SplitSuite, StatusKey } from './status-lists';
export type { RunSelection, SelectedCount } from './run-selection';
export { BrokenOff } from './steps';
export type { SameError } from './triage-runs';
export { TRIGGER_RUNS_MAX } from './trigger-runs';
export { REFERENCE_TRIGGER } from './trigger-statements';
export type { ReferenceRun, RunOfTrigger, TestPlace, Trigger, TriggerTotal } from './trigger-runs';
export {
  type AffectedRun,
  CHANGES_PER_RUN_MAX,
  type KeptTestbed,
  type PackageChange,
  type TestInLog,
} from './run-testbeds';
export { DELIVERY_STATES, type DeliveryState } from './rows/webhook';
export * from './stores';
export type { DeliveryAttempt, DueDelivery, LogReader, Sender, WebhookChange } from './webhook-deliveries';
export type { ClaimedWebhook, LoggedDelivery } from './webhook-delivery-statements';
export type { MatchedWebhook } from './webhook-events';
export type { Webhook, WebhookFilter, WebhookOwner, WebhookSettings } from './webhooks';
export type { Submitter } from './insert-runs';
export { afterChange, DatabaseUnavailable } from './unavailable';
export {
  InvalidUserName,
  UnknownUser,
  type User,
  UserExists,
  type UserRecord,
  type UserStanding,
} from './users';
export type { EndedAttempt, WorkerComparison } from './worker-pages';
export type { SeenWorker, WorkerRecord, WorkerRefusals, WorkerRegistration } from './register-statements';
export {
  AccountsBusy,
  InvalidRegistration,
  UnknownWorker,
  WorkerExists,
  WorkerRevoked,
} from './worker-register';
