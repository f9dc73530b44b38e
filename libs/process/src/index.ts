export { activatedSocket } from './activated-socket';
export { warnOfCoreDumps } from './core-dumps';
export { escapeLine } from './escape-text';
export { processLogger, type Log } from './logger';
export { nameSourcesInStacks } from './source-stacks';
export { logFields, withLogFields, type LogFields } from './log-fields';
export { endOnRequest, endWithSupervisor, fail } from './end-on-request';
export { VERSION } from './version';
export { freeStartLeavings } from './start-leavings';
