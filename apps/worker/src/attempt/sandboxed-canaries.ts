import type { CanaryTest } from '@proctor/contracts';
import { autopkgtestCommand, checkRequest } from '../autopkgtest/command';
import type { RunFolder } from '../sandbox/run-folder';
import type { CanaryEnd, CanaryRunner } from '../slot/ports';
import { passingRequest, writePassingPackage } from '../autopkgtest/passing-package';
import type { RunnerSettings } from './prepared-attempt';
import { judgeEnd, waitForEnd } from './sandbox-end';
import { SandboxOpener } from './sandbox-opener';
import { sandboxUse, type RunLimits } from './sandbox-use';
import type { RunnerParts } from './sandboxed-runner';

/** A test that does nothing takes seconds; an emulated or busy machine may need minutes. */
const CANARY_TIMEOUT_MS = 300_000;

/** The objects that execute canary tests. */
interface CanaryParts extends Omit<RunnerParts, 'appendLog' | 'settings'> {
  /** Returns the current settings. */
  settings: () => RunLimits & Pick<RunnerSettings, 'runTimeoutMs'>;
}

/** Executes canary tests in sandboxes of this machine, in the same way as attempts. */
export class SandboxedCanaries implements CanaryRunner {
  private testCount = 0;
  private readonly opener: SandboxOpener;

  constructor(private readonly parts: CanaryParts) {
    this.opener = new SandboxOpener(parts.sandboxes, parts.testbeds);
  }

  async execute(test: CanaryTest, signal: AbortSignal): Promise<CanaryEnd> {
    checkRequest(passingRequest(test));
    const folder = await this.parts.sandboxes.createFolder(`canary-${++this.testCount}`);
    try {
      return await this.executeIn(folder, test, signal);
    } finally {
      await folder.remove();
    }
  }

  private async executeIn(folder: RunFolder, test: CanaryTest, signal: AbortSignal): Promise<CanaryEnd> {
    const { command: runner, version } = this.parts.testbeds.runner(test.variant);
    const testbed = await this.parts.testbeds.backend(test.backend).use(test.suite, test.arch, folder);
    const subject = await writePassingPackage(folder.path);
    const command = autopkgtestCommand(passingRequest(test), {
      runner,
      version,
      subject,
      outputFolder: folder.output,
      signingKeyFiles: [],
      // Without an update: an archive that cannot be reached proves nothing about the machine.
      testbed: { ...testbed, upgrade: [] },
    });
    signal.throwIfAborted();
    const settings = this.parts.settings();
    const sandbox = await this.opener.open(folder, sandboxUse(command, testbed, settings));
    const limitMs = Math.min(settings.runTimeoutMs, CANARY_TIMEOUT_MS);
    const { clock, log } = this.parts;
    const ending = await waitForEnd(sandbox, limitMs, signal, { clock, log });
    const { verdict, message } = (await judgeEnd(folder, ending)).judgement;
    return { passed: verdict === 'pass', message };
  }
}
