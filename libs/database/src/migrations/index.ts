import { Arrivals1765400000000 } from './arrivals';
import { CancelRetryPublish1764200000000 } from './cancel-retry-publish';
import { CorrectionsAndUsage1764700000000 } from './corrections-and-usage';
import { FirstSchema1763640000000 } from './first-schema';
import { HorizonMark1765000060000 } from './horizon-mark';
import { OrdersOfRuns1764560000000 } from './orders-of-runs';
import { PrivateRuns1765200000000 } from './private-runs';
import { QueueLengths1764300000000 } from './queue-lengths';
import { RunOwners1764300060000 } from './run-owners';
import { RunIds1764550000000 } from './run-ids';
import { SchedulerDecisions1764400000000 } from './scheduler-decisions';
import { OwnershipEpochs1764600000000 } from './ownership-epochs';
import { OwnershipServers1765300000000 } from './ownership-servers';
import { UsageRows1764700000001 } from './usage-rows';
import { TestResults1764500000000 } from './test-results';
import { UnfinishedPackages1765000000000 } from './unfinished-packages';
import { WorkerRegister1765100000000 } from './worker-register';
import { WorkerTrust1764800000000 } from './worker-trust';

/** In the order in which they run; the number is the time in milliseconds at which each was written. */
export const MIGRATIONS = [
  FirstSchema1763640000000,
  CancelRetryPublish1764200000000,
  QueueLengths1764300000000,
  RunOwners1764300060000,
  SchedulerDecisions1764400000000,
  TestResults1764500000000,
  RunIds1764550000000,
  OrdersOfRuns1764560000000,
  OwnershipEpochs1764600000000,
  CorrectionsAndUsage1764700000000,
  UsageRows1764700000001,
  WorkerTrust1764800000000,
  UnfinishedPackages1765000000000,
  HorizonMark1765000060000,
  WorkerRegister1765100000000,
  PrivateRuns1765200000000,
  OwnershipServers1765300000000,
  Arrivals1765400000000,
];
