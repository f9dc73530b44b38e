import { Logger, type Provider } from '@nestjs/common';
import { MonitoringServer } from '@proctor/monitoring';
import { Registry } from 'prom-client';
import { CONFIGURATION, REGISTRY, type ApiConfiguration } from '../configuration.token';
import { HttpMetrics } from '../http/http-metrics';
import { ApiHealth } from './api-health';
import { ApiMetrics } from './api-metrics';

export const MONITORING_PROVIDERS: Provider[] = [
  { provide: REGISTRY, useFactory: () => new Registry() },
  HttpMetrics,
  ApiMetrics,
  ApiHealth,
  {
    provide: MonitoringServer,
    inject: [ApiHealth, ApiMetrics, CONFIGURATION],
    useFactory: (health: ApiHealth, metrics: ApiMetrics, { server }: ApiConfiguration) => {
      const monitored = { health: () => health.report(), metrics: () => metrics.text() };
      const address = { ...server.metrics, setting: 'api.metrics.port of proctor.yaml' };
      return new MonitoringServer(monitored, address, new Logger('Health'));
    },
  },
];
