import { Logger } from '@nestjs/common';
import { Complaints, NoAnswer, type Bus } from '@proctor/bus';
import { systemClock } from '@proctor/clock';
import { grantOf, stagingName, type FinishedReport, type Grant, type ResultFile } from '@proctor/contracts';
import { StoreMismatch, StoreUnavailable, type ResultStore } from '@proctor/store';

/** The files that a worker may have staged for an attempt. */
interface StagedResult extends Grant {
  worker: string;
  files: Pick<ResultFile, 'name'>[];
}

/** The files of finished reports, on their way from the workers' staging areas to the store. */
export class StagedFiles {
  private readonly logger = new Logger('Reports');
  private readonly complaints = new Complaints({ error: (line) => this.logger.warn(line) }, systemClock);

  constructor(
    private readonly bus: Bus,
    private readonly store: ResultStore,
  ) {}

  /**
   * Moves the files of a report into the store. Returns null if all are there, else the fault of the upload.
   * @throws StoreUnavailable if the store cannot be written; NoAnswer if a file cannot be read now
   */
  async moveToStore(report: FinishedReport): Promise<string | null> {
    for (const file of report.files) {
      const wrong = await this.moveFile(report, file);
      if (wrong !== null) return wrong;
    }
    return null;
  }

  /** Deletes the staged files and the live log. If that fails now, they end by their age. */
  async clear(staged: StagedResult): Promise<void> {
    const { runId, attempt, worker, files } = staged;
    const cleared = await Promise.allSettled([
      ...files.map(({ name }) => this.bus.deleteStaged(worker, stagingName(staged, name))),
      this.bus.purgeLog(worker, grantOf(staged)),
    ]);
    const reasons = cleared
      .filter((outcome) => outcome.status === 'rejected')
      .map(({ reason }) => String(reason));
    if (reasons.length === 0) return;
    const line = `run ${runId}, attempt ${attempt}: something is left behind: ${reasons.join('; ')}`;
    this.complaints.about(`worker ${worker}`, line);
  }

  private async moveFile(report: FinishedReport, file: ResultFile): Promise<string | null> {
    const { runId, attempt, worker } = report;
    const content = await this.bus.readStaged(worker, stagingName(report, file.name));
    if (!content) return `${file.name} is missing`;
    let damage: Error | null = null;
    content.once('error', (error: Error) => (damage = error));
    try {
      await this.store.save(runId, attempt, file.name, content, { size: file.size, sha256: file.sha256 });
      return null;
    } catch (error) {
      // A failing store or a silent bus also ends the upload, but does not make it damaged.
      if (error instanceof StoreUnavailable || error instanceof NoAnswer) throw error;
      if (!(error instanceof StoreMismatch) && damage === null) throw error;
      return `${file.name} is damaged: ${String(error)}`;
    }
  }
}
