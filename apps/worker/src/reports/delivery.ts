import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bus } from '@proctor/bus';
import { WakeUp, type Clock } from '@proctor/clock';
import {
  grantOf,
  isUntested,
  reportSubject,
  RESULT_CONTENTS,
  stagingName,
  UNTESTED,
  type FinishedReport,
  type Grant,
  type RecordedSignal,
} from '@proctor/contracts';
import { growingPauseMs, scatterPause } from '@proctor/pauses';
import type { Log } from '@proctor/process';
import type { DroppedResults } from './dropped-results';
import type { DispatcherFeatures } from '../slot/dispatcher-features';
import { isMissing, removeResult, setResultAside, type SavedResult } from './result-folder';

export interface DeliverySettings {
  /** First pause before an unanswered report is sent again; it doubles. */
  resendFirstMs: number;
  resendMaxMs: number;
  /** How many results that the dispatcher refused are kept for people. */
  refusedKeptMax: number;
}

export interface DeliveryParts {
  bus: Bus;
  dispatchers: Pick<DispatcherFeatures, 'has'>;
  clock: Clock;
  log: Log;
  settings: DeliverySettings;
  dropped: DroppedResults;
  /** Returns a random number from 0 up to 1. */
  random: () => number;
}

/** Sends one saved result to the dispatcher until it is answered. */
export class ResultDelivery {
  private readonly wakeUp: WakeUp;
  private answer: RecordedSignal | null = null;
  private readonly uploaded = new Set<string>();
  /** How often it was sent since an answer was last likely. */
  private unanswered = 0;
  /** How often the dispatcher has requested the files again. */
  private uploadsAgain = 0;
  private stopped = false;

  constructor(
    private result: SavedResult,
    private readonly parts: DeliveryParts,
  ) {
    this.wakeUp = new WakeUp(parts.clock);
  }

  get arch(): string {
    return this.result.arch;
  }

  get grant(): Grant {
    return grantOf(this.result.report);
  }

  /** Resolves when the dispatcher has answered and the copy on disk is removed, or the delivery was stopped. */
  async deliver(): Promise<void> {
    while (!this.stopped) {
      await this.send();
      this.unanswered += 1;
      await this.wakeUp.wait(this.pauseMs(this.unanswered));
      if (!this.answer) continue;
      if (await this.settle(this.answer)) return;
      this.answer = null;
      await this.waitBeforeUploadingAgain();
      this.unanswered = 0;
    }
    this.warnOfLoss();
  }

  private warnOfLoss(): void {
    if (this.result.folder !== null) return;
    const { verdict, message } = this.result.report;
    this.parts.log.warn(
      `${this.title()}: its result is lost, ${verdict} (${message}): the worker ends, and could not write it to its disk`,
    );
    this.parts.dropped.count('unkept');
  }

  /** The dispatcher has answered. */
  onAnswer(answer: RecordedSignal): void {
    this.answer = answer;
    this.wakeUp.wake();
  }

  /** The connection is back: send again at once, and start with short pauses. */
  retryNow(): void {
    this.unanswered = 0;
    this.wakeUp.wake();
  }

  stop(): void {
    this.stopped = true;
    this.wakeUp.wake();
  }

  /**
   * The first time at once, since the scheduler waits for the files; a scheduler that always requests them must not
   * keep both busy.
   */
  private async waitBeforeUploadingAgain(): Promise<void> {
    this.uploadsAgain += 1;
    if (this.uploadsAgain === 1 || this.stopped) return;
    await this.wakeUp.waitFromNow(this.pauseMs(this.uploadsAgain - 1));
    this.answer = null;
  }

  /** Random, since all workers may have unanswered results after a scheduler was away. */
  private pauseMs(inARow: number): number {
    const { settings, random } = this.parts;
    return scatterPause(growingPauseMs(settings.resendFirstMs, settings.resendMaxMs, inARow), random());
  }

  private async send(): Promise<void> {
    try {
      await this.removeLostFiles();
      const report = this.readableReport();
      await this.upload(report);
      await this.parts.bus.report(reportSubject(this.arch, 'finished', report), report);
    } catch (error) {
      this.parts.log.warn(`${this.title()}: the result was not delivered yet: ${String(error)}`);
    }
  }

  /** The report as the dispatcher can read it: an earlier version refuses a report with an index or a newer verdict. */
  private readableReport(): FinishedReport {
    const { arch, report } = this.result;
    const contents: readonly string[] = RESULT_CONTENTS;
    const knowsIndexes = this.parts.dispatchers.has(arch, 'result-indexes');
    const { verdict } = report;
    const newer = isUntested(verdict) ? UNTESTED[verdict] : null;
    return {
      ...report,
      ...(newer && !this.parts.dispatchers.has(arch, newer.feature) && { verdict: newer.status }),
      ...(!knowsIndexes && { files: report.files.filter(({ name }) => contents.includes(name)) }),
    };
  }

  /** Uploads only missing files, so that it succeeds in the end even if the connection keeps breaking. */
  private async upload(report: FinishedReport): Promise<void> {
    const { folder } = this.result;
    if (folder === null) return;
    for (const { name, size, sha256 } of report.files) {
      if (this.uploaded.has(name)) continue;
      const content = createReadStream(join(folder, name));
      const staged = await this.parts.bus.stage(report.worker, stagingName(report, name), content);
      if (staged.size !== size || staged.sha256 !== sha256) {
        throw new Error(`${name}: ${staged.size} bytes arrived in the staging area, ${size} were sent`);
      }
      this.uploaded.add(name);
    }
  }

  /** A file that is missing or damaged on disk can never be uploaded: the result counts without it. */
  private async removeLostFiles(): Promise<void> {
    const { folder, report } = this.result;
    if (folder === null) return;
    const isThere = await Promise.all(
      report.files.map(async ({ name, size }) => (await sizeOf(join(folder, name))) === size),
    );
    const files = report.files.filter((_, index) => isThere[index]);
    if (files.length === report.files.length) return;
    const lostFiles = report.files.filter((file) => !files.includes(file)).map(({ name }) => name);
    this.parts.log.warn(
      `${this.title()}: lost on this machine's disk, and not reported: ${lostFiles.join(', ')}`,
    );
    this.result = { ...this.result, report: { ...report, files } };
  }

  private async settle({ answer, reason }: RecordedSignal): Promise<boolean> {
    if (answer === 'upload-again') {
      this.parts.log.warn(
        `${this.title()}: its files are uploaded again: ${reason ?? 'the scheduler asked for it'}`,
      );
      this.uploaded.clear();
      return false;
    }
    if (answer === 'refused') {
      this.parts.log.warn(
        `${this.title()}: the scheduler cannot read the report: ${reason ?? 'no reason was given'}`,
      );
      this.parts.dropped.count('refused');
      await this.setAside();
      return true;
    }
    if (answer === 'stale') {
      this.parts.dropped.count('stale');
      this.parts.log.warn(`${this.title()}: the result came too late: ${reason ?? 'it is stale'}`);
    } else if (reason !== undefined) {
      this.parts.log.warn(`${this.title()}: the result is recorded, but: ${reason}`);
    }
    await this.removeCopy();
    return true;
  }

  /** If it cannot be removed, the next life of the worker delivers it again, without effect. */
  private async removeCopy(): Promise<void> {
    const { folder } = this.result;
    if (folder === null) return;
    await removeResult(folder).catch((error: unknown) => {
      this.parts.log.warn(`${this.title()}: the copy of its result stays on disk: ${String(error)}`);
    });
  }

  private async setAside(): Promise<void> {
    const { folder } = this.result;
    if (folder === null) return;
    try {
      const { aside, surplus } = await setResultAside(folder, this.parts.settings.refusedKeptMax);
      this.parts.log.warn(`${this.title()}: its result is kept in ${aside}`);
      if (surplus.length > 0)
        this.parts.log.warn(`older results that were refused are removed: ${surplus.join(', ')}`);
    } catch (error) {
      this.parts.log.warn(`${this.title()}: its result could not be set aside: ${String(error)}`);
      await this.removeCopy();
    }
  }

  private title(): string {
    return `run ${this.result.report.runId} attempt ${this.result.report.attempt}`;
  }
}

/** Null: the file does not exist. */
async function sizeOf(path: string): Promise<number | null> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}
