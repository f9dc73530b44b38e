export {
  type ApiKey,
  ApiKeys,
  type NewApiKey,
  type NewApiKeyOnce,
  type Requestor,
  type SealedRequest,
} from './api-keys';
export { AwaitedResults } from './awaited-results';
export { type Cancelled, type Canceller, Cancellations } from './cancellations';
export { Decisions, type PauseScope } from './decisions';
export { DatabaseModule } from './database.module';
export { Facts } from './facts';
export { DATABASE_LIMITS, type DatabaseLimits } from './limits';
export { KeptAnswers } from './once';
export { migrate } from './migrate';
export type { IdempotencyKey, Once } from './once';
export { type OpenDatabase, openDatabase } from './open-database';
export { type KnownPackage, Packages } from './packages';
export { PostgresJournal } from './postgres-journal';
export { PostgresOwnershipRegister } from './postgres-ownership-register';
export { Publications } from './publications';
export { type PackageSuite, PublicRuns, type QueueLength, type QueueRate } from './public-runs';
export type { RunRecord } from './run-columns';
export { asOneRequest, besideRequests } from './request-wait';
export { Results, type ResultsSince } from './results';
export { type NotRetried, type Retried, type Retrier, Retries } from './retries';
export type { DayCounts, StatusCounts, StatusPart, StatusRecord, StatusVersion } from './status';
export type { RunSelection } from './run-selection';
export { BrokenOff } from './steps';
export { Submissions, type Submitter } from './submissions';
export { afterChange, DatabaseUnavailable } from './unavailable';
export { InvalidUserName, UnknownUser, type User, UserExists, Users } from './users';
export {
  InvalidRegistration,
  UnknownWorker,
  WorkerExists,
  type WorkerRecord,
  type WorkerRefusals,
  WorkerRegister,
  type WorkerRegistration,
  WorkerRevoked,
} from './worker-register';
