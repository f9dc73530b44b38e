import type { Row } from './row';
import { burst } from './rows/burst';
import { commandStart } from './rows/command-start';
import { controlPlane } from './rows/control-plane';
import { requestCounts, runCounts } from './rows/counts';
import { decisions } from './rows/decisions';
import { everyPageRow } from './rows/every-page';
import { expiry } from './rows/expiry';
import { growth } from './rows/growth';
import { idle, manyWorkers } from './rows/idle';
import { liveLog } from './rows/live-log';
import { lists } from './rows/lists';
import { logPage } from './rows/log-page';
import { noOpRuns } from './rows/no-op-runs';
import { publicPagesRows } from './rows/public-pages';
import { realTests } from './rows/real-tests';
import { results } from './rows/results';
import { polls, singleRequests } from './rows/single-requests';
import { startLatency } from './rows/start-latency';
import { waitingRuns } from './rows/waiting-runs';

/** Everything that is measured, in the order of docs/benchmarks.md. */
export const ROWS: Row[] = [
  ...[lists, ...singleRequests, polls, requestCounts, results],
  ...[controlPlane, runCounts, noOpRuns, startLatency, decisions, waitingRuns, burst],
  ...[...publicPagesRows, everyPageRow, logPage, growth, expiry],
  ...[manyWorkers, liveLog, idle, commandStart, realTests],
];
