import type { Row } from './row';
import { burst } from './rows/burst';
import { controlPlane } from './rows/control-plane';
import { requestCounts, runCounts } from './rows/counts';
import { decisions } from './rows/decisions';
import { growth } from './rows/growth';
import { idle, manyWorkers } from './rows/idle';
import { liveLog } from './rows/live-log';
import { lists } from './rows/lists';
import { noOpRuns } from './rows/no-op-runs';
import { publicPagesRows } from './rows/public-pages';
import { realTests } from './rows/real-tests';
import { results } from './rows/results';
import { polls, singleRequests } from './rows/single-requests';
import { startLatency } from './rows/start-latency';
import { waitingRuns } from './rows/waiting-runs';
import { workerLiveLog } from './rows/worker-live-log';
import { workerStart } from './rows/worker-start';

/** Everything that is measured, in the order of docs/benchmarks.md. */
export const ROWS: Row[] = [
  ...[lists, ...singleRequests, polls, requestCounts, results],
  ...[controlPlane, runCounts, noOpRuns, startLatency, workerStart, decisions, waitingRuns, burst],
  ...[...publicPagesRows, growth],
  ...[manyWorkers, liveLog, workerLiveLog, idle, realTests],
];
