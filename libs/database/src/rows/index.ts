import { ApiKeyRow } from './api-key';
import { AttemptRow } from './attempt';
import { DispatcherRow } from './dispatcher';
import { RunRow } from './run';
import { SchedulerRow } from './scheduler';
import { UserRow } from './user';

/** Every table, as TypeORM's entities. */
export const ROWS = [UserRow, ApiKeyRow, RunRow, AttemptRow, DispatcherRow, SchedulerRow];

export { ApiKeyRow, AttemptRow, DispatcherRow, RunRow, SchedulerRow, UserRow };
