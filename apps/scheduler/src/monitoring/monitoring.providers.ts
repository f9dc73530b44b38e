import {
  Inject,
  Injectable,
  Logger,
  type OnModuleDestroy,
  type OnModuleInit,
  type Provider,
} from '@nestjs/common';
import { MonitoringServer, ProcessMetrics } from '@proctor/monitoring';
import { VERSION } from '@proctor/process';
import { Registry } from 'prom-client';
import { CONFIGURATION, REGISTRY, type LiveSchedulerConfiguration } from '../configuration.token';
import { SchedulerHealth } from './scheduler-health';
import { MeasuredScheduler, SchedulerMetrics } from './scheduler-metrics';

/** Measures the event loop only if the port for metrics is open. */
@Injectable()
class SchedulerProcess implements OnModuleInit, OnModuleDestroy {
  private readonly metrics: ProcessMetrics;

  constructor(
    @Inject(REGISTRY) registry: Registry,
    @Inject(CONFIGURATION) private readonly configuration: Pick<LiveSchedulerConfiguration, 'scheduler'>,
  ) {
    this.metrics = new ProcessMetrics(registry, {
      part: 'scheduler',
      version: VERSION,
      node: process.version,
    });
  }

  onModuleInit(): void {
    if (this.configuration.scheduler.metrics.port !== 0) this.metrics.start();
  }

  onModuleDestroy(): void {
    this.metrics.stop();
  }
}

export const MONITORING_PROVIDERS: Provider[] = [
  { provide: REGISTRY, useFactory: () => new Registry() },
  MeasuredScheduler,
  SchedulerMetrics,
  SchedulerHealth,
  SchedulerProcess,
  {
    provide: MonitoringServer,
    inject: [SchedulerHealth, SchedulerMetrics, CONFIGURATION],
    useFactory: (
      health: SchedulerHealth,
      metrics: SchedulerMetrics,
      { scheduler }: LiveSchedulerConfiguration,
    ) => {
      const monitored = { health: () => health.report(), metrics: () => metrics.text() };
      const address = { ...scheduler.metrics, setting: 'scheduler.metrics.port of proctor.yaml' };
      return new MonitoringServer(monitored, address, new Logger('Health'));
    },
  },
];
