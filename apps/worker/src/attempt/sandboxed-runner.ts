import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@proctor/clock';
import type { Lease, LogChunk } from '@proctor/contracts';
import { autopkgtestCommand, checkLease, type TestbedArguments } from '../autopkgtest/command';
import { readOutput } from '../autopkgtest/output';
import { endOfFile } from '../autopkgtest/plain-file';
import { judge, rejectedVersion } from '../autopkgtest/verdict';
import { LogTail, LOG_TAIL_SETTINGS } from '../log/log-tail';
import { freshResultFolder } from '../reports/result-folder';
import type { RunFolder } from '../sandbox/run-folder';
import type { Sandbox } from '../sandbox/sandbox';
import type { Sandboxes } from '../sandbox/sandboxes';
import type { AttemptResult, AttemptRunner, SlotLog } from '../slot/ports';
import type { Testbeds } from '../testbed/testbeds';
import { packResult, type PackLimits } from './result-files';
import { VersionWatch } from './version-watch';

export interface RunnerSettings extends PackLimits {
  runTimeoutMs: number;
  runTmpfsBytes: number;
  /** The outbox's folder: results are packed where they will be kept. */
  resultsPath: string;
}

/** Publishes a piece of an attempt's live log. */
export type AppendLog = (runId: number, attempt: number, chunk: LogChunk) => Promise<void>;

interface Ending {
  exitCode: number | null;
  limitMs?: number;
}

/** Executes attempts in sandboxes of this machine. */
export class SandboxedRunner implements AttemptRunner {
  constructor(
    private readonly sandboxes: Sandboxes,
    private readonly testbeds: Testbeds,
    private readonly appendLog: AppendLog,
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
      const parts = { runner, version, subject, outputFolder: folder.output, signingKeyFiles, testbed };
      return await this.execute(autopkgtestCommand(lease, parts), testbed, lease, folder, started, signal);
    } finally {
      await folder.remove();
    }
  }

  private async execute(
    command: string[],
    { cgroup, interpreters }: TestbedArguments,
    lease: Lease,
    folder: RunFolder,
    started: () => void,
    signal: AbortSignal,
  ): Promise<AttemptResult> {
    const tail = this.tailOf(lease, folder);
    const begun = this.clock.now();
    signal.throwIfAborted();
    const sandbox = await this.sandboxes.start(folder, {
      command,
      network: 'private',
      tmpfsBytes: this.settings.runTmpfsBytes,
      ...(cgroup && { cgroup }),
      ...(interpreters && { interpreters }),
    });
    started();
    tail.start();
    const ending = await this.await(sandbox, lease, folder, signal);
    await tail.finish();
    signal.throwIfAborted();
    const durationSeconds = Math.round((this.clock.now() - begun) / 1000);
    const { version, trouble } = await readOutput(folder.output);
    const detail = trouble ?? lastLine(await endOfFile(folder.errors, 1024));
    const target = freshResultFolder(this.settings.resultsPath, lease.runId, lease.attempt);
    const files = await packResult(folder, target, this.settings);
    const isRejected = version !== null && lease.rejectedVersions.includes(version);
    const judgement = { ...judge({ ...ending, detail }), ...(isRejected && rejectedVersion(lease, version)) };
    return { ...judgement, version, durationSeconds, files };
  }

  /** The end of the sandbox: its own, the worker's limit, a rejected version, or an abort. Nothing of it is left then. */
  private async await(
    sandbox: Sandbox,
    lease: Lease,
    folder: RunFolder,
    signal: AbortSignal,
  ): Promise<Ending> {
    const { runTimeoutMs } = this.settings;
    let isOverLimit = false;
    let isKilled = false;
    const kill = () => {
      isKilled = true;
      sandbox.kill().catch((error: unknown) => this.log.warn(`a sandbox does not end: ${String(error)}`));
    };
    const cancelLimit = this.clock.after(runTimeoutMs, () => {
      isOverLimit = true;
      kill();
    });
    const watch = new VersionWatch(folder.output, lease.rejectedVersions, kill, this.clock, this.log);
    watch.start();
    signal.addEventListener('abort', kill);
    if (signal.aborted) kill();
    const { code } = await sandbox.ended;
    watch.stop();
    cancelLimit();
    signal.removeEventListener('abort', kill);
    // The code of a sandbox that was killed is not the test runner's.
    return { exitCode: isKilled ? null : code, ...(isOverLimit ? { limitMs: runTimeoutMs } : {}) };
  }

  private tailOf({ runId, attempt }: Lease, folder: RunFolder): LogTail {
    return new LogTail(
      join(folder.output, 'log'),
      (chunk) => this.appendLog(runId, attempt, chunk),
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

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}
