import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { PublicRuns, Vitals, type PoolUse } from '@proctor/database';
import { ProcessMetrics } from '@proctor/monitoring';
import { VERSION } from '@proctor/process';
import { Gauge, type Registry } from 'prom-client';
import { CONFIGURATION, REGISTRY, type ApiConfiguration } from '../configuration.token';

/** The metrics of an api process; HttpMetrics counts its answers. */
@Injectable()
export class ApiMetrics implements OnModuleInit, OnModuleDestroy {
  private readonly process: ProcessMetrics;

  constructor(
    @Inject(REGISTRY) private readonly registry: Registry,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
    vitals: Vitals,
    publicRuns: PublicRuns,
  ) {
    this.process = new ProcessMetrics(registry, { part: 'api', version: VERSION, node: process.version });
    const pools = { main: () => vitals.poolUse(), public: () => publicRuns.poolUse() };
    describePools(registry, pools);
  }

  /** Without a port, no monitor can read the metrics of the process. */
  onModuleInit(): void {
    if (this.isEnabled) this.process.start();
  }

  onModuleDestroy(): void {
    this.process.stop();
  }

  /** Whether a port for metrics is configured. */
  get isEnabled(): boolean {
    return this.configuration.server.metrics.port !== 0;
  }

  /** All metrics in the text format of Prometheus. */
  text(): Promise<string> {
    return this.registry.metrics();
  }
}

/** Public data has a connection pool of its own. */
function describePools(registry: Registry, pools: Record<string, () => PoolUse>): void {
  new Gauge({
    name: 'proctor_database_connections_max',
    help: 'Connections that this process may have.',
    labelNames: ['pool'],
    registers: [registry],
    collect() {
      for (const [pool, use] of Object.entries(pools)) this.set({ pool }, use().max);
    },
  });
  new Gauge({
    name: 'proctor_database_connections',
    help: 'Of this process: busy, idle; waiting: calls without one.',
    labelNames: ['pool', 'state'],
    registers: [registry],
    collect() {
      for (const [pool, use] of Object.entries(pools)) {
        const { busy, idle, waiting } = use();
        for (const [state, count] of Object.entries({ busy, idle, waiting }))
          this.set({ pool, state }, count);
      }
    },
  });
}
