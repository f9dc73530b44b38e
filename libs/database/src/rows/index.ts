import { PackageMonthRow, RunDayRow, StatusDayRow } from './day';
import { ApiKeyRow } from './api-key';
import { AttemptRow } from './attempt';
import { AuditEntryRow } from './audit-entry';
import { BackupRow, RestoreRow } from './backup';
import { DrainRow, PauseRow } from './decision';
import { ExpiredFileRow, ExpiryProgressRow, RemovedRunRow } from './expiry';
import { FactRow } from './fact';
import { FeedAddressRow, FollowedPackageRow } from './followed-package';
import { IdempotencyKeyRow } from './idempotency-key';
import { IdentityRow } from './identity';
import { ImportedIdRow } from './imported-id';
import { NoteRow } from './note';
import { OrderRow } from './order';
import { DispatcherRow, SchedulerRow } from './ownership';
import { PackageDurationRow, PackageRow } from './package';
import { PackageStatusRow, StatusProgressRow } from './package-status';
import { HorizonRow, RunRow } from './run';
import { PackageListRow, RunChangeRow, RunTestbedRow } from './run-testbed';
import { SessionRow, SessionSecretRow } from './session';
import { SourceNamesRow } from './source-names';
import { UsageRow } from './usage';
import { UserRow } from './user';
import { WebhookDeliveryRow, WebhookProgressRow, WebhookRow } from './webhook';
import { WorkerRow } from './worker';
import { WorkerJudgementRow } from './worker-judgement';

/** Every table, as TypeORM's entities. */
export const ROWS = [
  UserRow,
  ApiKeyRow,
  RunRow,
  AttemptRow,
  FactRow,
  OrderRow,
  PauseRow,
  DrainRow,
  WorkerRow,
  WorkerJudgementRow,
  PackageDurationRow,
  UsageRow,
  HorizonRow,
  IdempotencyKeyRow,
  PackageRow,
  PackageStatusRow,
  StatusProgressRow,
  PackageListRow,
  RunTestbedRow,
  RunChangeRow,
  RunDayRow,
  StatusDayRow,
  PackageMonthRow,
  DispatcherRow,
  SchedulerRow,
  SessionRow,
  SessionSecretRow,
  AuditEntryRow,
  IdentityRow,
  FollowedPackageRow,
  FeedAddressRow,
  NoteRow,
  ExpiredFileRow,
  ExpiryProgressRow,
  RemovedRunRow,
  ImportedIdRow,
  WebhookRow,
  WebhookDeliveryRow,
  WebhookProgressRow,
  BackupRow,
  RestoreRow,
  SourceNamesRow,
];

export { ApiKeyRow, DrainRow, IdempotencyKeyRow, PauseRow, RunRow, SessionSecretRow, UserRow };
