import { join } from 'node:path';
import type { Clock } from '@proctor/clock';
import type { Grant, Lease, LogChunk } from '@proctor/contracts';
import type { Log } from '@proctor/process';
import { checkRequest } from '../autopkgtest/command';
import { excusedByShortage, type Shortage } from '../autopkgtest/shortage';
import { rejectedVersion } from '../autopkgtest/verdict';
import { LogTail, LOG_TAIL_SETTINGS } from './log-tail';
import { freeBytesOf } from '../sandbox/free-space';
import { freshResultFolder } from '../reports/result-folder';
import type { RunFolder } from '../sandbox/run-folder';
import type { Sandbox } from '../sandbox/sandbox';
import type { Sandboxes } from '../sandbox/sandboxes';
import type { AttemptResult, AttemptRunner } from '../slot/ports';
import type { Testbeds } from '../testbed/testbeds';
import { attemptTimeoutMs } from './attempt-timeout';
import { OutputWatch } from './output-watch';
import { prepareAttempt, type PreparedAttempt, type RunnerSettings } from './prepared-attempt';
import { packResult } from './result-files';
import { SandboxOpener } from './sandbox-opener';
import { judgeEnd, sandboxEnd, type SandboxEnding } from './sandbox-end';
import { ShortageWatch } from './shortage-watch';
import { VersionWatch } from './version-watch';

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
    checkRequest(lease);
    const { sandboxes, testbeds, log } = this.parts;
    const settings = this.parts.settings();
    // Numbered, since an attempt may be granted a second time while it is still executed: the database was restored.
    const folder = await sandboxes.createFolder(`${lease.runId}-${lease.attempt}-${++this.begun}`);
    try {
      const prepared = await prepareAttempt(lease, folder, testbeds, settings);
      return await this.execute(prepared, started, signal);
    } finally {
      await folder.remove().catch((error: unknown) => {
        // No result is lost for that; the next start tries again.
        log.warn(`run ${lease.runId} attempt ${lease.attempt}: its folder is left behind: ${String(error)}`);
      });
    }
  }

  private async execute(
    prepared: PreparedAttempt,
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
      return { ...(await resultOf(prepared, ending, short, signal)), durationSeconds, image: prepared.image };
    } catch (error) {
      // Whatever has failed, nothing of the attempt goes on.
      await sandbox.kill();
      throw error;
    } finally {
      shortage.stop();
      // The scheduler forgets the live log when it has the result: a chunk that arrived later would stay.
      await tail.stop();
    }
  }

  private async end(
    sandbox: Sandbox,
    { lease, folder, settings }: PreparedAttempt,
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
  { lease, folder, settings }: PreparedAttempt,
  ending: SandboxEnding,
  short: Shortage,
  signal: AbortSignal,
): Promise<Omit<AttemptResult, 'durationSeconds'>> {
  const { judgement: judged, version, tests } = await judgeEnd(folder, ending);
  const judgement = excusedByShortage(judged, short, version, settings);
  const target = freshResultFolder(settings.resultsPath, lease);
  const { files, excerpt } = await packResult(folder, target, settings, signal);
  if (version === null || !lease.rejectedVersions.includes(version)) {
    const result = { ...judgement, version, tests, files };
    return excerpt && hasFailed(judgement) ? { ...result, excerpt } : result;
  }
  const rejected = rejectedVersion(lease, version);
  return { ...rejected, exitCode: judgement.exitCode, version, tests: [], files };
}

function hasFailed({ verdict }: Pick<AttemptResult, 'verdict'>): boolean {
  return verdict === 'fail' || verdict === 'tmpfail';
}
