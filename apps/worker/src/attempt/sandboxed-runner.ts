import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@proctor/clock';
import type { WorkerConfiguration } from '@proctor/config';
import type { Grant, Lease, LogChunk, TestRequest } from '@proctor/contracts';
import type { Log } from '@proctor/process';
import { autopkgtestCommand, checkRequest } from '../autopkgtest/command';
import { sourceLogins } from '../autopkgtest/source-logins';
import { excusedByShortage, type Shortage } from '../autopkgtest/shortage';
import { rejectedVersion } from '../autopkgtest/verdict';
import { LogTail, LOG_TAIL_SETTINGS } from './log-tail';
import { freeBytesOf } from '../sandbox/free-space';
import { freshResultFolder } from '../reports/result-folder';
import type { RunFolder } from '../sandbox/run-folder';
import type { Sandbox, SandboxUse } from '../sandbox/sandbox';
import type { Sandboxes } from '../sandbox/sandboxes';
import type { AttemptResult, AttemptRunner } from '../slot/ports';
import type { Backend } from '../testbed/backend';
import type { Testbeds } from '../testbed/testbeds';
import { attemptTimeoutMs, packageTimeoutMs } from './attempt-timeout';
import { OutputWatch } from './output-watch';
import { packResult, type PackLimits } from './result-files';
import { SandboxOpener } from './sandbox-opener';
import { sandboxUse, type RunLimits } from './sandbox-use';
import { judgeEnd, sandboxEnd, type SandboxEnding } from './sandbox-end';
import { ShortageWatch } from './shortage-watch';
import { VersionWatch } from './version-watch';

/** What an attempt goes by from its beginning to its end. */
export interface RunnerSettings
  extends
    PackLimits,
    RunLimits,
    Pick<WorkerConfiguration, 'runTimeoutMs' | 'timeouts' | 'environment' | 'runOutputBytesMax'> {
  /** The outbox's folder: results are packed where they will be kept. */
  resultsPath: string;
}

/** One attempt, ready to be executed. */
interface Prepared {
  lease: Lease;
  folder: RunFolder;
  use: SandboxUse;
  settings: RunnerSettings;
}

/** Publishes a chunk of an attempt's live log. */
export type AppendLog = (grant: Grant, chunk: LogChunk) => Promise<void>;

/** What attempts are executed with. */
export interface RunnerParts {
  sandboxes: Sandboxes;
  testbeds: Testbeds;
  appendLog: AppendLog;
  /** Those that hold at the moment of the call. */
  settings: () => RunnerSettings;
  clock: Clock;
  log: Log;
}

/** Executes attempts in sandboxes of this machine. */
export class SandboxedRunner implements AttemptRunner {
  private readonly opener: SandboxOpener;
  private begun = 0;

  constructor(private readonly parts: RunnerParts) {
    this.opener = new SandboxOpener(parts.sandboxes, parts.testbeds);
  }

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
    checkRequest(lease);
    const settings = this.parts.settings();
    const backend = this.parts.testbeds.backend(lease.backend);
    const { command: runner, version } = this.parts.testbeds.runner(lease.variant);
    // Numbered, since an attempt may be granted a second time while it is still executed: the database was restored.
    const name = `${lease.runId}-${lease.attempt}-${++this.begun}`;
    const folder = await this.parts.sandboxes.createFolder(name);
    try {
      const testbed = await backend.use(lease.suite, lease.arch, folder);
      const signingKeyFiles = await writeKeys(lease, folder);
      const loginsFile = await writeLogins(lease, folder);
      const { environment } = settings;
      const pinNames = await pinNamesOf(lease, backend);
      const order = {
        subject,
        outputFolder: folder.output,
        signingKeyFiles,
        loginsFile,
        testbed,
        pinNames,
        environment,
      };
      const testTimeoutMs = packageTimeoutMs(settings, lease.package);
      const command = autopkgtestCommand(lease, {
        ...order,
        runner,
        version,
        ...(testTimeoutMs !== undefined && { testTimeoutMs }),
      });
      const use = sandboxUse(command, testbed, settings);
      return await this.execute({ lease, folder, use, settings }, started, signal);
    } finally {
      await folder.remove().catch((error: unknown) => {
        // No result is lost for that; the next start tries again.
        this.parts.log.warn(
          `run ${lease.runId} attempt ${lease.attempt}: its folder is left behind: ${String(error)}`,
        );
      });
    }
  }

  private async execute(
    prepared: Prepared,
    started: () => void,
    signal: AbortSignal,
  ): Promise<AttemptResult> {
    const { lease, folder, use, settings } = prepared;
    const { clock, log } = this.parts;
    signal.throwIfAborted();
    const begun = clock.now();
    const sandbox = await this.opener.open(folder, use);
    started();
    const tail = this.tailOf(lease, folder, settings);
    const shortage = new ShortageWatch(sandbox, () => freeBytesOf(folder.path), clock, log);
    try {
      tail.start();
      await shortage.start();
      const ending = await this.end(sandbox, prepared, signal);
      const short = await shortage.found();
      signal.throwIfAborted();
      await tail.finish();
      const durationSeconds = Math.round((clock.now() - begun) / 1000);
      return { ...(await resultOf(prepared, ending, short, signal)), durationSeconds };
    } catch (error) {
      // Whatever has failed, nothing of the attempt goes on.
      await sandbox.kill();
      throw error;
    } finally {
      shortage.stop();
      void tail.stop();
    }
  }

  private async end(
    sandbox: Sandbox,
    { lease, folder, settings }: Prepared,
    signal: AbortSignal,
  ): Promise<SandboxEnding> {
    const { clock, log } = this.parts;
    const output = new OutputWatch(folder, settings, clock, log);
    const limitMs = attemptTimeoutMs(settings, lease.package);
    const ending = await sandboxEnd(sandbox, limitMs, signal, { clock, log }, (kill) => {
      const version = new VersionWatch(folder.output, lease.rejectedVersions, kill, clock, log);
      version.start();
      output.start(kill);
      return () => {
        version.stop();
        output.stop();
      };
    });
    return output.isExceeded ? { ...ending, outputBytesMax: settings.runOutputBytesMax } : ending;
  }

  private tailOf(lease: Lease, folder: RunFolder, { logHeadBytesMax }: RunnerSettings): LogTail {
    return new LogTail(
      join(folder.output, 'log'),
      (chunk) => this.parts.appendLog(lease, chunk),
      this.parts.clock,
      this.parts.log,
      { ...LOG_TAIL_SETTINGS, streamBytesMax: logHeadBytesMax },
    );
  }
}

/** Judges what the runner left, and packs it. */
async function resultOf(
  { lease, folder, settings }: Prepared,
  ending: SandboxEnding,
  short: Shortage,
  signal: AbortSignal,
): Promise<Omit<AttemptResult, 'durationSeconds'>> {
  const { judgement: judged, version, tests } = await judgeEnd(folder, ending);
  const judgement = excusedByShortage(judged, short, version, settings);
  const target = freshResultFolder(settings.resultsPath, lease);
  const files = await packResult(folder, target, settings, signal);
  if (version === null || !lease.rejectedVersions.includes(version)) {
    return { ...judgement, version, tests, files };
  }
  const rejected = rejectedVersion(lease, version);
  return { ...rejected, exitCode: judgement.exitCode, version, tests: [], files };
}

async function pinNamesOf({ suite, pinPackages, extraAptSources }: TestRequest, backend: Backend) {
  const extraLines = extraAptSources.flatMap(({ lines }) => lines);
  const pinned = pinPackages.map(([, suite]) => suite);
  const names = pinned.length === 0 ? undefined : await backend.pinNames?.(suite, pinned, extraLines);
  return names ?? new Map<string, string>();
}

async function writeLogins(request: TestRequest, folder: RunFolder): Promise<string | undefined> {
  const { logins } = sourceLogins(request);
  return logins.length === 0 ? undefined : folder.writePrivate('logins', `${logins.join('\n')}\n`);
}

async function writeKeys(request: TestRequest, folder: RunFolder): Promise<string[]> {
  const files: string[] = [];
  for (const { signingKey } of request.extraAptSources) {
    if (signingKey === undefined) continue;
    const file = join(folder.path, `source-${files.length}.asc`);
    await writeFile(file, signingKey, { mode: 0o644 });
    files.push(file);
  }
  return files;
}
