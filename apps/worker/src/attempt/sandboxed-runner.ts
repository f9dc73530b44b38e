import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bus } from '@proctor/bus';
import type { Clock } from '@proctor/clock';
import type { WorkerConfiguration } from '@proctor/config';
import type { Lease } from '@proctor/contracts';
import { autopkgtestCommand, checkLease, type TestbedArguments } from '../autopkgtest/command';
import { spared } from '../autopkgtest/shortage';
import { rejectedVersion } from '../autopkgtest/verdict';
import { LogTail, LOG_TAIL_SETTINGS } from '../log/log-tail';
import { freeBytesOf } from '../machine/free-space';
import { freshResultFolder } from '../reports/result-folder';
import type { RunFolder } from '../sandbox/run-folder';
import type { Sandboxes } from '../sandbox/sandboxes';
import type { AttemptResult, AttemptRunner, SlotLog } from '../slot/ports';
import type { Testbeds } from '../testbed/testbeds';
import { attemptTimeoutMs, packageTimeoutMs } from './attempt-timeout';
import { OutputWatch } from './output-watch';
import { packResult, type PackLimits } from './result-files';
import { sandboxUse, type RunLimits } from './sandbox-use';
import { judgeEnd, sandboxEnd } from './sandbox-end';
import { ShortageWatch } from './shortage-watch';
import { VersionWatch } from './version-watch';

export interface RunnerSettings
  extends PackLimits, RunLimits, Pick<WorkerConfiguration, 'runTimeoutMs' | 'timeouts' | 'environment'> {
  /** Bytes that the runner may write to this machine's disk. */
  runOutputBytesMax: number;
  /** The outbox's folder: results are packed where they will be kept. */
  resultsPath: string;
}

/** Where the live logs of attempts are published. */
export type LiveLogs = Pick<Bus, 'appendLog' | 'purgeLog'>;

/** Executes attempts in sandboxes of this machine. */
export class SandboxedRunner implements AttemptRunner {
  constructor(
    private readonly sandboxes: Sandboxes,
    private readonly testbeds: Testbeds,
    private readonly liveLogs: LiveLogs,
    private readonly settings: RunnerSettings,
    private readonly clock: Clock,
    private readonly log: SlotLog,
  ) {}

  async run(lease: Lease, started: () => void, signal: AbortSignal): Promise<AttemptResult> {
    return this.test(lease.package, lease, started, signal);
  }

  /** `subject`: the lease's package, or the path of a source tree that is tested in its place. */
  async test(
    subject: string,
    lease: Lease,
    started: () => void,
    signal: AbortSignal,
  ): Promise<AttemptResult> {
    checkLease(lease);
    const backend = this.testbeds.backend(lease.backend);
    const { command: runner, version } = this.testbeds.runner(lease.variant);
    const folder = await this.sandboxes.createFolder(`${lease.runId}-${lease.attempt}`);
    try {
      const testbed = await backend.use(lease.suite, lease.arch, folder);
      const signingKeyFiles = await writeKeys(lease, folder);
      const { environment } = this.settings;
      const testTimeoutMs = packageTimeoutMs(this.settings, lease.package);
      const parts = {
        ...{ runner, version, subject, outputFolder: folder.output, signingKeyFiles, testbed, environment },
        ...(testTimeoutMs !== undefined && { testTimeoutMs }),
      };
      return await this.execute(autopkgtestCommand(lease, parts), testbed, lease, folder, started, signal);
    } finally {
      await folder.remove();
    }
  }

  private async execute(
    command: string[],
    testbed: TestbedArguments,
    lease: Lease,
    folder: RunFolder,
    started: () => void,
    signal: AbortSignal,
  ): Promise<AttemptResult> {
    const tail = this.tailOf(lease, folder);
    const begun = this.clock.now();
    signal.throwIfAborted();
    const sandbox = await this.sandboxes.start(folder, sandboxUse(command, testbed, this.settings));
    started();
    tail.start();
    const { clock, log } = this;
    const output = new OutputWatch(folder, this.settings, clock, log);
    const shortage = new ShortageWatch(sandbox, () => freeBytesOf(folder.path), clock, log);
    await shortage.start();
    const limitMs = attemptTimeoutMs(this.settings, lease.package);
    const ending = await sandboxEnd(sandbox, limitMs, signal, { clock, log }, (kill) => {
      const version = new VersionWatch(folder.output, lease.rejectedVersions, kill, clock, log);
      version.start();
      output.start(kill);
      return () => {
        version.stop();
        output.stop();
      };
    });
    const short = await shortage.stop();
    await tail.finish();
    if (signal.aborted) this.forgetLog(lease);
    signal.throwIfAborted();
    const durationSeconds = Math.round((this.clock.now() - begun) / 1000);
    const end = output.isExceeded ? { ...ending, outputBytesMax: this.settings.runOutputBytesMax } : ending;
    const { judgement: judged, version, tests } = await judgeEnd(folder, end);
    const judgement = spared(judged, short);
    const target = freshResultFolder(this.settings.resultsPath, lease.runId, lease.attempt);
    const files = await packResult(folder, target, this.settings);
    if (version === null || !lease.rejectedVersions.includes(version)) {
      return { ...judgement, version, durationSeconds, tests, files };
    }
    const rejected = rejectedVersion(lease, version);
    return { ...rejected, exitCode: judgement.exitCode, version, durationSeconds, tests: [], files };
  }

  /** Nobody will store the log of an attempt without a result; what is left here ends by its age. */
  private forgetLog({ runId, attempt }: Lease): void {
    this.liveLogs.purgeLog(runId, attempt).catch((error: unknown) => {
      this.log.warn(`run ${runId} attempt ${attempt}: its live log is left behind: ${String(error)}`);
    });
  }

  private tailOf({ runId, attempt }: Lease, folder: RunFolder): LogTail {
    return new LogTail(
      join(folder.output, 'log'),
      (chunk) => this.liveLogs.appendLog(runId, attempt, chunk),
      this.clock,
      this.log,
      { ...LOG_TAIL_SETTINGS, streamBytesMax: this.settings.logBytesMax },
    );
  }
}

async function writeKeys(lease: Lease, folder: RunFolder): Promise<string[]> {
  const files: string[] = [];
  for (const { signingKey } of lease.extraAptSources) {
    if (signingKey === undefined) continue;
    const file = join(folder.path, `source-${files.length}.asc`);
    await writeFile(file, signingKey, { mode: 0o644 });
    files.push(file);
  }
  return files;
}
