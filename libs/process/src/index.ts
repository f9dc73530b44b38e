export { warnOfCoreDumps } from './core-dumps';
export { processLogger, type Log } from './logger';
export { withLogFields, type LogFields } from './log-fields';
export { endOnRequest, fail } from './end-on-request';
