import { CancelRetryPublish1764200000000 } from './cancel-retry-publish';
import { FirstSchema1763640000000 } from './first-schema';
import { SchedulerDecisions1764400000000 } from './scheduler-decisions';

/** In the order in which they run; the number is the time in milliseconds at which each was written. */
export const MIGRATIONS = [
  FirstSchema1763640000000,
  CancelRetryPublish1764200000000,
  SchedulerDecisions1764400000000,
];
