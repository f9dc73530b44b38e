export { processLogger } from './logger';
export { endOnRequest, fail } from './end-on-request';
