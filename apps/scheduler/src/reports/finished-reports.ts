import { Inject, Injectable, Logger } from '@nestjs/common';
import { Bus } from '@proctor/bus';
import {
  cut,
  grantName,
  MESSAGE_LENGTH_MAX,
  oneLine,
  RESULT_FILES,
  SUBJECTS,
  type FinishedReport,
} from '@proctor/contracts';
import { PostgresJournal } from '@proctor/database';
import { WriteRefused, type AttemptOfWorker, type Journal, type ReportAnswer } from '@proctor/dispatch';
import { ResultStore } from '@proctor/store';
import { Dispatchers } from '../dispatcher/dispatchers';
import { NotHandled } from '../dispatcher/not-handled';
import { ClaimTimer } from './claim-timer';
import { ReportReplies } from './report-replies';
import { StagedFiles } from './staged-files';

/**
 * Records a finished report. First its files go from staging to the store, so that a finished run has them; then the
 * dispatcher records it; then the worker is answered that it may delete its copy.
 */
@Injectable()
export class FinishedReports {
  private readonly logger = new Logger('Reports');
  private readonly staged: StagedFiles;
  private readonly replies: ReportReplies;
  /** Names of the reports that this process is handling. */
  private readonly underWay = new Set<string>();

  constructor(
    @Inject(Dispatchers) private readonly dispatchers: Pick<Dispatchers, 'request'>,
    @Inject(PostgresJournal) private readonly journal: Pick<Journal, 'reportState'>,
    private readonly bus: Bus,
    private readonly store: ResultStore,
    private readonly claims: ClaimTimer,
  ) {
    this.staged = new StagedFiles(bus, store);
    this.replies = new ReportReplies(journal, bus, store, this.staged);
  }

  /**
   * Rejects if the report must be delivered again, for example because it is being handled already.
   * @returns whether it changed anything
   */
  async receive(arch: string, report: FinishedReport): Promise<boolean> {
    const name = `${report.worker} ${grantName(report, ' ')}`;
    if (this.underWay.has(name)) throw new NotHandled('an earlier delivery of the report is being handled');
    this.underWay.add(name);
    return this.handle(arch, report).finally(() => this.underWay.delete(name));
  }

  private async handle(arch: string, report: FinishedReport): Promise<boolean> {
    const hasFiles = report.files.length > 0;
    // Without files nothing has to be stored first, so no claim on the run is needed.
    const reply = hasFiles
      ? await this.dispatchers.request(arch, { kind: 'may-finish', report })
      : await this.record(arch, report, 'finished');
    if (reply === 'counts') {
      if (!hasFiles) return this.onRecorded(report);
      const endClaim = this.claim(arch, report);
      return this.saveResult(arch, report, 'finished').finally(endClaim);
    }
    const state = reply === 'refused' ? null : await this.replies.stateOf(report, reply);
    if (state === 'late') return this.saveResult(arch, report, 'late');
    await (state === null ? this.replies.refuse(report) : this.replies.settle(report, reply, state));
    return false;
  }

  /**
   * Refuses a report that cannot be read, even if it is repeated: its attempt has failed, and the worker gets that
   * answer. A dispatcher that does not wait for the attempt writes nothing.
   */
  async refuse(arch: string, attempt: AttemptOfWorker, why: string): Promise<void> {
    const reason = oneLine(`the report of worker ${attempt.worker} was refused, ${why}`, MESSAGE_LENGTH_MAX);
    const answer = await this.dispatchers.request(arch, { kind: 'report-refused', attempt, reason });
    if (answer === 'counts') this.bus.signal(SUBJECTS.resultsChanged, {});
    this.replies.send(attempt, 'refused', reason);
    if (answer === 'foreign' || answer === 'refused') return;
    const files = RESULT_FILES.map((name) => ({ name }));
    await this.staged.clear({ ...attempt, files });
  }

  /**
   * Claims the run while its files are being stored, so that it is not granted again, however slow the store is. If
   * this process dies, the claim ends with the time-to-live of a lease.
   * @returns a function that ends the claim
   */
  private claim(arch: string, report: FinishedReport): () => void {
    return this.claims.repeat(() => {
      this.dispatchers.request(arch, { kind: 'may-finish', report }).catch((error: unknown) => {
        const { runId, attempt } = report;
        this.logger.warn(`run ${runId}, attempt ${attempt}: its claim was not renewed: ${String(error)}`);
      });
    });
  }

  private async saveResult(
    arch: string,
    report: FinishedReport,
    kind: 'finished' | 'late',
  ): Promise<boolean> {
    const answer = await this.storeAndRecord(arch, report, kind).catch(async (error: unknown) => {
      await this.removeIfOver(report);
      throw error;
    });
    if (answer === null) return false;
    if (answer === 'counts') return this.onRecorded(report);
    if (answer === 'refused') await this.replies.refuse(report);
    else await this.replies.settle(report, answer, await this.replies.stateOf(report, answer));
    return false;
  }

  private async onRecorded(report: FinishedReport): Promise<true> {
    this.bus.signal(SUBJECTS.resultsChanged, {});
    await this.replies.settle(report, 'counts', 'reported');
    return true;
  }

  /** @returns null if its files must be uploaded again */
  private async storeAndRecord(
    arch: string,
    report: FinishedReport,
    kind: 'finished' | 'late',
  ): Promise<ReportAnswer | null> {
    const missing = await this.staged.moveToStore(report);
    if (missing === null) return this.record(arch, report, kind);
    this.replies.send(report, 'upload-again', missing);
    return null;
  }

  /**
   * While the files were being stored, another scheduler may have ended the attempt without removing them. This
   * repeats its query until the database answers: a process that has lost its architecture may have lost the
   * database, too.
   */
  private async removeIfOver(report: FinishedReport): Promise<void> {
    const { runId, attempt } = report;
    const remove = async (): Promise<void> => {
      if ((await this.journal.reportState(report)) === 'over') await this.store.remove(runId, attempt);
    };
    const remind = (error: unknown): void =>
      this.logger.warn(`run ${runId}, attempt ${attempt}: files that may be over stay: ${String(error)}`);
    try {
      await remove();
    } catch (error) {
      remind(error);
      const end = this.claims.repeat(() => void remove().then(() => end(), remind));
    }
  }

  /** The database would refuse the result each time: its attempt has failed for that reason. */
  private async record(
    arch: string,
    report: FinishedReport,
    kind: 'finished' | 'late',
  ): Promise<ReportAnswer> {
    try {
      return await this.dispatchers.request(arch, { kind, report });
    } catch (error) {
      if (!(error instanceof WriteRefused)) throw error;
      const { runId, attempt, worker } = report;
      this.logger.error(`run ${runId}, attempt ${attempt}, of ${worker}: ${error.message}`);
      return this.dispatchers.request(arch, { kind, report: withoutResult(report, error) });
    }
  }
}

/** The files stay: the store has checked their sizes. */
function withoutResult(
  { trouble: _, tests: __, excerpt: ___, ...report }: FinishedReport,
  { message }: WriteRefused,
): FinishedReport {
  const why = cut(`its result could not be recorded: ${message}`, MESSAGE_LENGTH_MAX);
  return { ...report, verdict: 'tmpfail', message: why, exitCode: null, version: null, durationSeconds: 0 };
}
