import { Logger, type Provider } from '@nestjs/common';
import { Bus } from '@proctor/bus';
import type { Clock } from '@proctor/clock';
import { CLOCK, CONFIGURATION, type WorkerProcessConfiguration } from '../configuration.token';
import { DispatcherFeatures } from '../slot/dispatcher-features';
import { BACKENDS, type Backend } from '../testbed/backend';
import { SourceReports } from './source-reports';

const REPORTS: Provider = {
  provide: SourceReports,
  inject: [CONFIGURATION, BACKENDS, Bus, DispatcherFeatures, CLOCK],
  useFactory: (
    { worker }: WorkerProcessConfiguration,
    backends: Backend[],
    bus: Bus,
    dispatchers: DispatcherFeatures,
    clock: Clock,
  ) => {
    const lists = () => backends.flatMap((backend) => backend.sourceNames?.() ?? []);
    const isAllowed = () => worker.reportSourceNames;
    const log = new Logger('Sources');
    return new SourceReports({ worker: worker.name, isAllowed, lists, bus, dispatchers, clock, log });
  },
};

export const SOURCES_PROVIDERS: Provider[] = [REPORTS];
