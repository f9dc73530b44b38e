export type { ApiKey, NewApiKey, NewApiKeyOnce, Requestor, SealedRequest } from './api-keys';
export type { Cancelled, Canceller } from './cancellations';
export type { PauseScope } from './decisions';
export { DatabaseModule } from './database.module';
export { DATABASE_LIMITS, type DatabaseLimits } from './limits';
export { migrate } from './migrate';
export type { IdempotencyKey, Once } from './once';
export { type OpenDatabase, openDatabase } from './open-database';
export type { KnownPackage } from './packages';
export type { PackageSuite } from './public-runs';
export type { QueueLength, QueueRate } from './public-statements';
export type { RunRecord } from './run-columns';
export { asOneRequest, besideRequests } from './request-wait';
export type { ResultsSince } from './results';
export type { NotRetried, Retried, Retrier } from './retries';
export type { DayCounts, StatusCounts, StatusPart, StatusRecord, StatusVersion } from './status';
export type { RunSelection } from './run-selection';
export { BrokenOff } from './steps';
export * from './stores';
export type { Submitter } from './insert-runs';
export { afterChange, DatabaseUnavailable } from './unavailable';
export { InvalidUserName, UnknownUser, type User, UserExists } from './users';
export type { SeenWorker, WorkerRecord, WorkerRefusals, WorkerRegistration } from './register-statements';
export {
  AccountsBusy,
  InvalidRegistration,
  UnknownWorker,
  WorkerExists,
  WorkerRevoked,
} from './worker-register';
