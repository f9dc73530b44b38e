import { AbsentPackages1766470000000 } from './absent-packages';
import { Access1766200000000 } from './access';
import { Accounts1765650000000 } from './accounts';
import { AlikeErrors1766420000000 } from './alike-errors';
import { Arrivals1765400000000 } from './arrivals';
import { AuditOfDecisions1765930000000 } from './audit-of-decisions';
import { AttemptsOfWorkers1765910000000 } from './attempts-of-workers';
import { Backups1766010000000 } from './backups';
import { CancelRetryPublish1764200000000 } from './cancel-retry-publish';
import { CorrectionsAndUsage1764700000000 } from './corrections-and-usage';
import { CrashesOfAttempts1766490000000 } from './crashes-of-attempts';
import { ErrorSignatures1765500000000 } from './error-signatures';
import { EventTimes1766100000000 } from './event-times';
import { FirstSchema1763640000000 } from './first-schema';
import { FirstWords1766410000000 } from './first-words';
import { FollowedPackages1765940000000 } from './followed-packages';
import { HorizonMark1765000060000 } from './horizon-mark';
import { Identities1765920000000 } from './identities';
import { Imports1766210000000 } from './imports';
import { ImagesOfRuns1766460000000 } from './images-of-runs';
import { InstalledPackages1765950000000 } from './installed-packages';
import { Lines1765850000000 } from './lines';
import { Mismatches1766400000000 } from './mismatches';
import { Notes1765960000000 } from './notes';
import { OrdersOfRuns1764560000000 } from './orders-of-runs';
import { PackageStatuses1765600000000 } from './package-statuses';
import { PrivateRuns1765200000000 } from './private-runs';
import { QueueLengths1764300000000 } from './queue-lengths';
import { RecentErrors1765911000000 } from './recent-errors';
import { Retention1766000000000 } from './retention';
import { RunOwners1764300060000 } from './run-owners';
import { RunsOfUsers1765800000000 } from './runs-of-users';
import { RunIds1764550000000 } from './run-ids';
import { SourceNames1766480000000 } from './source-names';
import { StatusHistory1765900060000 } from './status-history';
import { StatusLists1765900000000 } from './status-lists';
import { PackageMonths1766440000000 } from './package-months';
import { RemovedRuns1766430000000 } from './removed-runs';
import { RunsOfTriggers1765700000000 } from './runs-of-triggers';
import { SchedulerDecisions1764400000000 } from './scheduler-decisions';
import { OtherSuites1766450000000 } from './other-suites';
import { OwnershipEpochs1764600000000 } from './ownership-epochs';
import { OwnershipServers1765300000000 } from './ownership-servers';
import { UsageRows1764700000001 } from './usage-rows';
import { TestResults1764500000000 } from './test-results';
import { UnfinishedPackages1765000000000 } from './unfinished-packages';
import { Webhooks1766110000000 } from './webhooks';
import { WorkerDecisions1766300000000 } from './worker-decisions';
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
  ErrorSignatures1765500000000,
  PackageStatuses1765600000000,
  Accounts1765650000000,
  RunsOfTriggers1765700000000,
  RunsOfUsers1765800000000,
  Lines1765850000000,
  StatusLists1765900000000,
  StatusHistory1765900060000,
  AttemptsOfWorkers1765910000000,
  RecentErrors1765911000000,
  Identities1765920000000,
  AuditOfDecisions1765930000000,
  FollowedPackages1765940000000,
  InstalledPackages1765950000000,
  Notes1765960000000,
  Retention1766000000000,
  Backups1766010000000,
  EventTimes1766100000000,
  Webhooks1766110000000,
  Access1766200000000,
  Imports1766210000000,
  WorkerDecisions1766300000000,
  Mismatches1766400000000,
  FirstWords1766410000000,
  AlikeErrors1766420000000,
  RemovedRuns1766430000000,
  PackageMonths1766440000000,
  OtherSuites1766450000000,
  ImagesOfRuns1766460000000,
  AbsentPackages1766470000000,
  SourceNames1766480000000,
  CrashesOfAttempts1766490000000,
];
