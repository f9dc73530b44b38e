import { join } from 'node:path';
import type { Clock } from '@proctor/clock';
import type { Grant, Lease, LogChunk } from '@proctor/contracts';
import type { Log } from '@proctor/process';
import { checkRequest } from '../autopkgtest/command';
import { ChangelogWatch } from './changelog-watch';
import { LogTail, LOG_TAIL_SETTINGS } from './log-tail';
import { freeBytesOf } from '../sandbox/free-space';
import type { RunFolder } from '../sandbox/run-folder';
import type { Sandbox } from '../sandbox/sandbox';
import type { Sandboxes } from '../sandbox/sandboxes';
import type { AttemptResult, AttemptRunner, VerdictKeeper } from '../slot/ports';
import type { Testbeds } from '../testbed/testbeds';
import { OutputWatch } from './output-watch';
import { packAttempt, findVerdict } from './pack-attempt';
import { prepareAttempt, type PreparedAttempt, type RunnerSettings } from './prepared-attempt';
import { SandboxOpener } from './sandbox-opener';
import { waitForEnd, type SandboxEnding } from './sandbox-end';
import { ShortageWatch } from './shortage-watch';
import { TreeWatch } from './tree-watch';
import { VersionWatch } from './version-watch';

/** Does nothing, for callers that need only the result. */
const NO_KEEPER: VerdictKeeper = { onEnded: () => undefined, saveVerdict: () => Promise.resolve() };

/** Publishes a chunk of an attempt's live log. */
export type AppendLog = (grant: Grant, chunk: LogChunk) => Promise<void>;

/** The objects that execute attempts. */
export interface RunnerParts {
  sandboxes: Sandboxes;
  testbeds: Testbeds;
  appendLog: AppendLog;
  /** Returns the current settings. */
  settings: () => RunnerSettings;
  clock: Clock;
  log: Log;
}

/** Executes attempts in sandboxes of this machine. */
export class SandboxedRunner implements AttemptRunner {
  private readonly opener: SandboxOpener;
  private attemptCount = 0;

  constructor(private readonly parts: RunnerParts) {
    this.opener = new SandboxOpener(parts.sandboxes, parts.testbeds);
  }

  async run(
    lease: Lease,
    started: () => void,
    signal: AbortSignal,
    keeper: VerdictKeeper = NO_KEEPER,
  ): Promise<AttemptResult> {
    checkRequest(lease);
    const { sandboxes, testbeds, log } = this.parts;
    const settings = this.parts.settings();
    // Numbered, since an attempt may be granted again while it is still executed: after a restore of the database.
    const folder = await sandboxes.createFolder(`${lease.runId}-${lease.attempt}-${++this.attemptCount}`);
    try {
      const prepared = await prepareAttempt(lease, folder, testbeds, settings);
      return await this.execute(prepared, started, signal, keeper);
    } finally {
      await folder.remove().catch((error: unknown) => {
        // No result is lost; the next start tries again.
        log.warn(`run ${lease.runId} attempt ${lease.attempt}: its folder is left behind: ${String(error)}`);
      });
    }
  }

  private async execute(
    prepared: PreparedAttempt,
    started: () => void,
    signal: AbortSignal,
    keeper: VerdictKeeper,
  ): Promise<AttemptResult> {
    const { lease, folder, use, settings } = prepared;
    const { clock, log } = this.parts;
    signal.throwIfAborted();
    const startedAt = clock.now();
    const sandbox = await this.opener.open(folder, use);
    started();
    const tail = this.tailOf(lease, folder, settings);
    const shortage = new ShortageWatch(sandbox, () => freeBytesOf(folder.path), clock, log);
    try {
      tail.start();
      await shortage.start();
      const ending = await this.waitForEnd(sandbox, prepared, signal);
      keeper.onEnded();
      const durationSeconds = Math.round((clock.now() - startedAt) / 1000);
      const verdictAtEnd = await findVerdict(prepared, ending, await shortage.result());
      const verdict = { ...verdictAtEnd, durationSeconds, image: prepared.image };
      await keeper.saveVerdict(verdict);
      const [result] = await Promise.all([
        packAttempt(prepared, verdict, { clock, log: this.parts.log }),
        tail.complete(),
      ]);
      return result;
    } catch (error) {
      // After any failure nothing of the attempt continues.
      await sandbox.kill();
      throw error;
    } finally {
      shortage.stop();
      // The scheduler deletes the live log once it has the result: a later chunk would stay.
      await tail.stop();
    }
  }

  private async waitForEnd(
    sandbox: Sandbox,
    { lease, folder, limitMs, settings }: PreparedAttempt,
    signal: AbortSignal,
  ): Promise<SandboxEnding> {
    const { clock, log } = this.parts;
    const output = new OutputWatch(folder, settings, clock, log);
    const tree = new TreeWatch(folder.output, sandbox, clock, log);
    // Pages show it to everybody, so a private run has none.
    const changelogBytes = lease.isPrivate ? 0 : settings.changelogBytesMax;
    const changelog = new ChangelogWatch(folder.output, changelogBytes, clock, log);
    const ending = await waitForEnd(sandbox, limitMs, signal, { clock, log }, (kill) => {
      const version = new VersionWatch(folder.output, lease.rejectedVersions, kill, clock, log);
      version.start();
      output.start(kill);
      tree.start(kill);
      changelog.start();
      return () => {
        version.stop();
        output.stop();
        tree.stop();
        changelog.stop();
      };
    });
    await changelog.save();
    if (tree.unreadableFile !== null) return { ...ending, unreadable: tree.unreadableFile };
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
