import { Logger } from '@nestjs/common';
import { Complaints, type Bus } from '@proctor/bus';
import { systemClock } from '@proctor/clock';
import { grantOf, subjectOf, SUBJECTS, type FinishedReport, type RecordedSignal } from '@proctor/contracts';
import type { AttemptOfWorker, Journal, ReportAnswer, ReportState } from '@proctor/dispatch';
import type { ResultStore } from '@proctor/store';
import { NotHandled } from '../dispatcher/not-handled';
import type { StagedFiles } from './staged-files';

/** Answers the worker of a finished report, and decides which files of the report stay in the store. */
export class ReportReplies {
  private readonly logger = new Logger('Reports');
  private readonly complaints = new Complaints({ error: (line) => this.logger.warn(line) }, systemClock);

  constructor(
    private readonly journal: Pick<Journal, 'reportState'>,
    private readonly bus: Bus,
    private readonly store: ResultStore,
    private readonly staged: StagedFiles,
  ) {}

  /** The rows decide, so that no worker deletes its copy only because this memory does not know the attempt. */
  async stateOf(report: FinishedReport, answer: ReportAnswer): Promise<ReportState> {
    const isBooked = answer === 'counts' || answer === 'reported';
    return isBooked ? 'reported' : this.journal.reportState(report);
  }

  /**
   * A worker keeps its copy until the files of a past attempt are removed from the store: if the message is lost, the
   * report comes again from the worker's disk.
   * @throws StoreUnavailable if the files could not be removed; the report is then delivered again
   */
  async settle(report: FinishedReport, answer: ReportAnswer, state: ReportState): Promise<void> {
    if (state === 'counts' || state === 'late')
      throw new NotHandled('the rows know of a grant or an end that this dispatcher has not seen');
    if (state === 'reported') this.send(report, 'recorded');
    else if (answer === 'foreign' || state === 'foreign')
      return this.send(report, 'stale', "the attempt is another worker's, or granted again since a restore");
    else {
      await this.store.remove(report.runId, report.attempt);
      this.send(report, 'stale', 'a newer attempt was granted, or the run has finished');
    }
    await this.staged.clear(report);
  }

  /**
   * Refuses a report whose sender is no longer, or never was, a worker of the architecture. The stored files of an
   * attempt that was granted to it are removed; attempts of other workers are not touched. While the attempt is the
   * latest, its result would count if the worker was added again. So the worker is answered first, and does not
   * deliver the files that are being removed.
   */
  async refuse(report: FinishedReport): Promise<void> {
    const state = await this.journal.reportState(report);
    if (state === 'over') await this.store.remove(report.runId, report.attempt);
    this.send(report, 'refused', `worker ${report.worker} may not report for this architecture`);
    if (state !== 'foreign') await this.staged.clear(report);
    if (state === 'counts' || state === 'late') await this.store.remove(report.runId, report.attempt);
  }

  send(report: AttemptOfWorker, answer: RecordedSignal['answer'], reason?: string): void {
    const { runId, attempt, worker } = report;
    const line = `run ${runId}, attempt ${attempt}, of ${worker}: ${answer}, ${reason}`;
    if (answer === 'refused') this.complaints.about(`worker ${worker}`, line);
    else if (answer !== 'recorded') this.logger.warn(line);
    const signal: RecordedSignal = { ...grantOf(report), answer, ...(reason !== undefined && { reason }) };
    this.bus.signal(subjectOf(SUBJECTS.recorded, worker), signal);
  }
}
