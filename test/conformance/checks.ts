import type { Check } from './check';
import { dataChecks } from './checks/data';
import { adminChecks } from './checks/decisions';
import { doorChecks } from './checks/door';
import { errorChecks } from './checks/errors';
import { idempotencyChecks } from './checks/idempotency';
import { keyChecks, managementChecks } from './checks/keys';
import { cancelChecks, retryChecks } from './checks/life';
import { listingChecks } from './checks/listings';
import { manyRunsChecks } from './checks/many-runs';
import { orderChecks, pageChecks } from './checks/pages';
import { pinChecks } from './checks/pins';
import { pollingChecks } from './checks/polling';
import { privacyChecks } from './checks/privacy';
import { publishChecks } from './checks/publishing';
import { rejectChecks } from './checks/rejects';
import { requestChecks } from './checks/requests';
import { resultChecks } from './checks/results';
import { batchChecks, singleChecks } from './checks/shortcuts';
import { statusChecks } from './checks/status';
import { storyChecks } from './checks/story';
import { transportChecks } from './checks/transports';

/** All of them, in the order in which a report reads best. */
export const CHECKS: Check[] = [
  ...keyChecks,
  ...managementChecks,
  ...errorChecks,
  ...doorChecks,
  ...requestChecks,
  ...pinChecks,
  ...singleChecks,
  ...batchChecks,
  ...idempotencyChecks,
  ...resultChecks,
  ...pollingChecks,
  ...orderChecks,
  ...retryChecks,
  ...cancelChecks,
  ...manyRunsChecks,
  ...publishChecks,
  ...listingChecks,
  ...storyChecks,
  ...adminChecks,
  ...rejectChecks,
  ...dataChecks,
  ...statusChecks,
  ...privacyChecks,
  ...pageChecks,
  ...transportChecks,
];
