import { Inject, Injectable, Logger, type Provider } from '@nestjs/common';
import { Bus } from '@proctor/bus';
import type { Clock } from '@proctor/clock';
import type { WorkerConfiguration } from '@proctor/config';
import { MonitoringServer, type MonitoringAnswers, type MonitoringAddress } from '@proctor/monitoring';
import { ObservedRuns } from '../attempt/observed-runs';
import { CLOCK, CONFIGURATION, type WorkerProcessConfiguration } from '../configuration.token';
import { Worker } from '../life/worker';
import { DiskOutbox } from '../reports/outbox';
import { Notices } from '../slot/notices';
import { Standings } from '../slot/standings';
import { BACKENDS, type Backend } from '../testbed/backend';
import { ResourceGuard } from '../testbed/resource-guard';
import { Testbeds } from '../testbed/testbeds';
import { HealthLog } from './health-log';
import { renderMetrics } from './metrics';
import { WorkerHealth, type HealthSources } from './worker-health';

@Injectable()
class ProcessSources implements HealthSources {
  @Inject(Worker) readonly worker: Worker;
  @Inject(Bus) readonly bus: Bus;
  @Inject(ObservedRuns) readonly runs: ObservedRuns;
  @Inject(DiskOutbox) readonly outbox: DiskOutbox;
  @Inject(ResourceGuard) readonly offer: ResourceGuard;
  @Inject(Notices) readonly notices: Notices;
  @Inject(Testbeds) readonly testbeds: Testbeds;
  @Inject(Standings) readonly standings: Standings;
  @Inject(BACKENDS) readonly backends: Backend[];
}

export const HEALTH_PROVIDERS: Provider[] = [
  ProcessSources,
  {
    provide: WorkerHealth,
    inject: [CONFIGURATION, ProcessSources, CLOCK],
    useFactory: ({ worker }: WorkerProcessConfiguration, sources: ProcessSources, clock: Clock) =>
      new WorkerHealth(worker, sources, clock, Date.now),
  },
  {
    provide: HealthLog,
    inject: [WorkerHealth, CLOCK],
    useFactory: (health: WorkerHealth, clock: Clock) => new HealthLog(health, clock, new Logger('Health')),
  },
  {
    provide: MonitoringServer,
    inject: [WorkerHealth, CONFIGURATION],
    useFactory: (health: WorkerHealth, { worker }: WorkerProcessConfiguration) =>
      new MonitoringServer(monitoredHealth(health), workerAddress(worker), new Logger('Health')),
  },
];

/** The health and metrics of a worker, for monitors. */
export function monitoredHealth(health: Pick<WorkerHealth, 'report'>): MonitoringAnswers {
  return { health: () => health.report(), metrics: async () => renderMetrics(await health.report()) };
}

/** The address for monitors. */
export function workerAddress({ metrics }: Pick<WorkerConfiguration, 'metrics'>): MonitoringAddress {
  return { ...metrics, setting: 'metrics.port of worker.yaml' };
}
