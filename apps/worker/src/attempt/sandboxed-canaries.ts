import type { Clock } from '@proctor/clock';
import type { CanaryTest } from '@proctor/contracts';
import type { Log } from '@proctor/process';
import { autopkgtestCommand, checkRequest } from '../autopkgtest/command';
import type { RunFolder } from '../sandbox/run-folder';
import type { Sandboxes } from '../sandbox/sandboxes';
import type { CanaryEnd, CanaryRunner } from '../slot/ports';
import type { Testbeds } from '../testbed/testbeds';
import { passingRequest, writePassingPackage } from '../autopkgtest/passing-package';
import { judgeEnd, sandboxEnd } from './sandbox-end';
import { SandboxOpener } from './sandbox-opener';
import { sandboxUse, type RunLimits } from './sandbox-use';
import type { RunnerSettings } from './sandboxed-runner';

/** A test that does nothing takes seconds; an emulated or busy machine may need minutes. */
const CANARY_TIMEOUT_MS = 300_000;

/** Executes canary tests in sandboxes of this machine, as attempts are executed. */
export class SandboxedCanaries implements CanaryRunner {
  private begun = 0;
  private readonly opener: SandboxOpener;

  /** @param settings those that hold at the moment of the call */
  constructor(
    private readonly sandboxes: Sandboxes,
    private readonly testbeds: Testbeds,
    private readonly settings: () => RunLimits & Pick<RunnerSettings, 'runTimeoutMs'>,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    this.opener = new SandboxOpener(sandboxes, testbeds);
  }

  async execute(test: CanaryTest, signal: AbortSignal): Promise<CanaryEnd> {
    checkRequest(passingRequest(test));
    const folder = await this.sandboxes.createFolder(`canary-${++this.begun}`);
    try {
      return await this.executeIn(folder, test, signal);
    } finally {
      await folder.remove();
    }
  }

  private async executeIn(folder: RunFolder, test: CanaryTest, signal: AbortSignal): Promise<CanaryEnd> {
    const { command: runner, version } = this.testbeds.runner(test.variant);
    const testbed = await this.testbeds.backend(test.backend).use(test.suite, test.arch, folder);
    const subject = await writePassingPackage(folder.path);
    const command = autopkgtestCommand(passingRequest(test), {
      ...{ runner, version, subject, outputFolder: folder.output, signingKeyFiles: [] },
      // Whether an archive can be reached says nothing about the machine.
      testbed: { ...testbed, upgrade: [] },
    });
    signal.throwIfAborted();
    const settings = this.settings();
    const sandbox = await this.opener.open(folder, sandboxUse(command, testbed, settings));
    const limitMs = Math.min(settings.runTimeoutMs, CANARY_TIMEOUT_MS);
    const { clock, log } = this;
    const ending = await sandboxEnd(sandbox, limitMs, signal, { clock, log });
    signal.throwIfAborted();
    const { verdict, message } = (await judgeEnd(folder, ending)).judgement;
    return { passed: verdict === 'pass', message };
  }
}
