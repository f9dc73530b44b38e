import { Logger, type Provider } from '@nestjs/common';
import { Bus } from '@proctor/bus';
import type { Clock } from '@proctor/clock';
import { grantOf } from '@proctor/contracts';
import { CLOCK, CONFIGURATION, type WorkerProcessConfiguration } from '../configuration.token';
import { MACHINE, type Machine } from '../machine/machine';
import { resultsPath } from '../reports/result-folder';
import { Testbeds } from '../testbed/testbeds';
import { ObservedRuns } from './observed-runs';
import type { RunnerSettings } from './prepared-attempt';
import { SandboxedCanaries } from './sandboxed-canaries';
import { SandboxedRunner, type AppendLog } from './sandboxed-runner';

export const ATTEMPT_PROVIDERS: Provider[] = [
  {
    provide: SandboxedRunner,
    inject: [CONFIGURATION, MACHINE, Testbeds, Bus, CLOCK],
    useFactory: (
      configuration: WorkerProcessConfiguration,
      { sandboxes }: Machine,
      testbeds: Testbeds,
      bus: Bus,
      clock: Clock,
    ) => {
      const { name } = configuration.worker;
      const appendLog: AppendLog = (grant, chunk) => bus.appendLog(name, grantOf(grant), chunk);
      const settings = () => currentSettings(configuration);
      return new SandboxedRunner({
        sandboxes,
        testbeds,
        appendLog,
        settings,
        clock,
        log: new Logger('Runner'),
      });
    },
  },
  {
    provide: ObservedRuns,
    inject: [SandboxedRunner, CLOCK],
    useFactory: (runner: SandboxedRunner, clock: Clock) => new ObservedRuns(runner, clock),
  },
  {
    provide: SandboxedCanaries,
    inject: [CONFIGURATION, MACHINE, Testbeds, CLOCK],
    useFactory: (
      configuration: WorkerProcessConfiguration,
      { sandboxes }: Machine,
      testbeds: Testbeds,
      clock: Clock,
    ) => {
      const settings = () => currentSettings(configuration);
      return new SandboxedCanaries({ sandboxes, testbeds, settings, clock, log: new Logger('Canaries') });
    },
  },
];

function currentSettings({ worker }: WorkerProcessConfiguration): RunnerSettings {
  return { ...worker, resultsPath: resultsPath(worker) };
}
