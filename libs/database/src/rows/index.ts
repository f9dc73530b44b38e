import { ApiKeyRow } from './api-key';
import { AttemptRow } from './attempt';
import { DispatcherRow } from './dispatcher';
import { IdempotencyKeyRow } from './idempotency-key';
import { OrderRow } from './order';
import { PackageRow } from './package';
import { RunRow } from './run';
import { SchedulerRow } from './scheduler';
import { UserRow } from './user';

/** Every table, as TypeORM's entities. */
export const ROWS = [
  UserRow,
  ApiKeyRow,
  RunRow,
  AttemptRow,
  OrderRow,
  IdempotencyKeyRow,
  PackageRow,
  DispatcherRow,
  SchedulerRow,
];

export {
  ApiKeyRow,
  AttemptRow,
  DispatcherRow,
  IdempotencyKeyRow,
  OrderRow,
  PackageRow,
  RunRow,
  SchedulerRow,
  UserRow,
};
