import type { Row } from './row';
import { controlPlane } from './rows/control-plane';
import { requestCounts, runCounts } from './rows/counts';
import { decisions } from './rows/decisions';
import { lists } from './rows/lists';
import { publicPagesRows } from './rows/public-pages';
import { realTests } from './rows/real-tests';
import { polls, singleRequests } from './rows/single-requests';

/** Everything that is measured, in the order of docs/benchmarks.md. */
export const ROWS: Row[] = [
  ...[lists, ...singleRequests, polls, requestCounts],
  ...[controlPlane, runCounts, decisions],
  ...publicPagesRows,
  realTests,
];
