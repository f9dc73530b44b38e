import { Logger, type Provider } from '@nestjs/common';
import type { Clock } from '@proctor/clock';
import { CLOCK, CONFIGURATION, type WorkerProcessConfiguration } from '../configuration.token';
import { MACHINE, type Machine } from '../machine/machine';
import { runnerVersion } from '../machine/runner-version';
import { BACKENDS, type Backend } from './backend';
import { buildBackends } from './build-backends';
import { Testbeds } from './testbeds';

/** Injection token of a function that is called when more or other work can be taken than before. */
export const OFFER_CHANGED = Symbol('offer changed');

export const TESTBED_PROVIDERS: Provider[] = [
  {
    provide: BACKENDS,
    inject: [CONFIGURATION, MACHINE, OFFER_CHANGED],
    useFactory: (configuration: WorkerProcessConfiguration, machine: Machine, onChange: () => void) =>
      buildBackends(configuration, machine, onChange),
  },
  {
    provide: Testbeds,
    inject: [CONFIGURATION, MACHINE, BACKENDS, OFFER_CHANGED, CLOCK],
    useFactory: (
      { worker: { variants, sizeClasses, privateRunsOnly } }: WorkerProcessConfiguration,
      { sandboxes }: Machine,
      backends: Backend[],
      onChange: () => void,
      clock: Clock,
    ) => {
      const log = new Logger('Testbeds');
      const offered = { backends, variants, sizeClasses, privateRunsOnly };
      return new Testbeds({ ...offered, sandboxes, versionOf: runnerVersion, clock, log, onChange });
    },
  },
];
