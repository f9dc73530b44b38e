import { ApiKeyRow } from './api-key';
import { AttemptRow } from './attempt';
import { DrainRow, PauseRow } from './decision';
import { FactRow } from './fact';
import { IdempotencyKeyRow } from './idempotency-key';
import { OrderRow } from './order';
import { DispatcherRow, SchedulerRow } from './ownership';
import { PackageDurationRow, PackageRow } from './package';
import { HorizonRow, RunRow } from './run';
import { UsageRow } from './usage';
import { UserRow } from './user';
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
  DispatcherRow,
  SchedulerRow,
];

export { ApiKeyRow, DrainRow, IdempotencyKeyRow, PauseRow, RunRow, UserRow };
