import { ApiKeyRow } from './api-key';
import { AttemptRow } from './attempt';
import { DispatcherRow } from './dispatcher';
import { DrainRow } from './drain';
import { FactRow } from './fact';
import { HorizonRow } from './horizon';
import { IdempotencyKeyRow } from './idempotency-key';
import { OrderRow } from './order';
import { PackageDurationRow } from './package-duration';
import { PackageRow } from './package';
import { PauseRow } from './pause';
import { RunRow } from './run';
import { SchedulerRow } from './scheduler';
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

export {
  ApiKeyRow,
  AttemptRow,
  DispatcherRow,
  DrainRow,
  FactRow,
  HorizonRow,
  IdempotencyKeyRow,
  OrderRow,
  PackageDurationRow,
  PackageRow,
  PauseRow,
  RunRow,
  SchedulerRow,
  UsageRow,
  UserRow,
  WorkerJudgementRow,
  WorkerRow,
};
