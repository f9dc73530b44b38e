import { Logger } from '@nestjs/common';
import { MonitoringServer } from '@proctor/monitoring';
import { Registry } from 'prom-client';
import { CONFIGURATION, REGISTRY, type ApiConfiguration } from '../configuration.token';
import { HttpMetrics } from '../http/http-metrics';
import { Room } from '../http/room';
import { ApiHealth } from './api-health';
import { ApiMetrics } from './api-metrics';

/** Health and metrics of this process. */
@Room({
  providers: [
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
  ],
})
export class MonitoringModule {}
