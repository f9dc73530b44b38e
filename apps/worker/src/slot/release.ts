import { PROTOCOL, WORKER_FEATURES, type LeaseRequest } from '@proctor/contracts';
import { VERSION } from '@proctor/process';

/** What each lease request says about this program. */
export const RELEASE: Pick<LeaseRequest, 'protocol' | 'features' | 'version' | 'wakeable'> = {
  protocol: PROTOCOL,
  features: [...WORKER_FEATURES],
  version: VERSION,
  wakeable: true,
};
