export { Cached } from './cached';
export { diskSpace } from './disk-space';
export { MonitoringServer, type MonitoringAnswers, type MonitoringAddress } from './monitoring-server';
export { ProcessMetrics } from './process-metrics';
export { inTurn } from './requests-in-turn';
export { readTarget } from './request-target';
