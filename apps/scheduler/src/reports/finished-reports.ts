import { Inject, Injectable, Logger } from '@nestjs/common';
import { Bus } from '@proctor/bus';
import type { Clock } from '@proctor/clock';
import {
  cut,
  grantName,
  grantOf,
  MESSAGE_LENGTH_MAX,
  oneLine,
  RESULT_FILES,
  stagingName,
  subjectOf,
  SUBJECTS,
  type FinishedReport,
  type Grant,
  type RecordedSignal,
  type ResultFile,
} from '@proctor/contracts';
import { PostgresJournal } from '@proctor/database';
import {
  WriteRefused,
  type AttemptOfWorker,
  type Journal,
  type ReportAnswer,
  type ReportState,
} from '@proctor/dispatch';
import { ResultStore, StoreMismatch, StoreUnavailable } from '@proctor/store';
import { Dispatchers } from '../dispatcher/dispatchers';
import { CLOCK } from '../configuration.token';
import { NotHandled } from '../dispatcher/not-handled';

/** Where a function is injected that returns how long a claim is left alone, in milliseconds; much shorter than a lease lasts. */
export const CLAIM_RENEWAL = Symbol('claim renewal');

/** Repeats what has to be done again, as often as the claims of reports are renewed. */
@Injectable()
export class ClaimTimer {
  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CLAIM_RENEWAL) private readonly renewMs: () => number,
  ) {}

  /** Calls `action` again and again, until the returned function is called. */
  repeat(action: () => void): () => void {
    let cancel = (): void => undefined;
    const later = (): void => {
      cancel = this.clock.after(this.renewMs(), () => {
        later();
        action();
      });
    };
    later();
    return () => cancel();
  }
}

/** The files that a worker may have staged for an attempt. */
interface StagedResult extends Grant {
  worker: string;
  files: Pick<ResultFile, 'name'>[];
}

/**
 * Records a finished report: its files go from staging to the store first, so that a finished run has
 * them; then the dispatcher records it; then the worker hears that it may delete its copy.
 */
@Injectable()
export class FinishedReports {
  private readonly logger = new Logger('Reports');
  /** Reports that are being handled here. */
  private readonly underWay = new Set<string>();

  constructor(
    @Inject(Dispatchers) private readonly dispatchers: Pick<Dispatchers, 'ask'>,
    @Inject(PostgresJournal) private readonly journal: Pick<Journal, 'reportState'>,
    private readonly bus: Bus,
    private readonly store: ResultStore,
    private readonly claims: ClaimTimer,
  ) {}

  /**
   * Rejects when the report must be delivered again, as one that is being handled already.
   * @returns whether it changed anything
   */
  async take(arch: string, report: FinishedReport): Promise<boolean> {
    const name = `${report.worker} ${grantName(report, ' ')}`;
    if (this.underWay.has(name)) throw new NotHandled('an earlier delivery of the report is being handled');
    this.underWay.add(name);
    return this.handle(arch, report).finally(() => this.underWay.delete(name));
  }

  private async handle(arch: string, report: FinishedReport): Promise<boolean> {
    const judged = await this.dispatchers.ask(arch, { kind: 'may-finish', report });
    if (judged === 'counts') {
      const endClaim = this.claim(arch, report);
      return this.keep(arch, report, 'finished').finally(endClaim);
    }
    const state = judged === 'refused' ? null : await this.bookedState(report, judged);
    if (state === 'late') return this.keep(arch, report, 'late');
    await (state === null ? this.turnAway(report) : this.settle(report, judged, state));
    return false;
  }

  /**
   * The report cannot be read, and repeating it does not help: its attempt has failed, and the worker is told so. A
   * dispatcher that does not wait for it writes nothing.
   */
  async refuse(arch: string, attempt: AttemptOfWorker, why: string): Promise<void> {
    const reason = oneLine(`the report of worker ${attempt.worker} was refused, ${why}`, MESSAGE_LENGTH_MAX);
    const answer = await this.dispatchers.ask(arch, { kind: 'report-refused', attempt, reason });
    if (answer === 'counts') this.bus.signal(SUBJECTS.resultsChanged, {});
    this.tell(attempt, 'refused', reason);
    if (answer === 'foreign' || answer === 'refused') return;
    const files = RESULT_FILES.map((name) => ({ name }));
    await this.clearStaging({ ...attempt, files });
  }

  /**
   * Keeps the run from being granted again for as long as its files are being stored, however slow the store is. Should
   * this process die, the claim ends with the time-to-live of a lease.
   * @returns what ends it
   */
  private claim(arch: string, report: FinishedReport): () => void {
    return this.claims.repeat(() => {
      this.dispatchers.ask(arch, { kind: 'may-finish', report }).catch((error: unknown) => {
        const { runId, attempt } = report;
        this.logger.warn(`run ${runId}, attempt ${attempt}: its claim was not renewed: ${String(error)}`);
      });
    });
  }

  private async keep(arch: string, report: FinishedReport, kind: 'finished' | 'late'): Promise<boolean> {
    const answer = await this.storeAndRecord(arch, report, kind).catch(async (error: unknown) => {
      await this.removeIfOver(report);
      throw error;
    });
    if (answer === null) return false;
    if (answer === 'counts') this.bus.signal(SUBJECTS.resultsChanged, {});
    if (answer === 'refused') await this.turnAway(report);
    else await this.settle(report, answer, await this.bookedState(report, answer));
    return answer === 'counts';
  }

  /** Null when its files have to be uploaded again. */
  private async storeAndRecord(
    arch: string,
    report: FinishedReport,
    kind: 'finished' | 'late',
  ): Promise<ReportAnswer | null> {
    const missing = await this.storeFiles(report);
    if (missing === null) return this.record(arch, report, kind);
    this.tell(report, 'upload-again', missing);
    return null;
  }

  /**
   * Its sender is no worker of the architecture, or not any more. What may have been stored of an attempt that it was granted
   * is removed; of another's attempt nothing is touched. As long as the attempt is the latest, its result would count should
   * the worker be added again: the worker is told first, so that it does not deliver what is being removed.
   */
  private async turnAway(report: FinishedReport): Promise<void> {
    const state = await this.journal.reportState(report);
    if (state === 'over') await this.store.remove(report.runId, report.attempt);
    this.tell(report, 'refused', `worker ${report.worker} may not report for this architecture`);
    if (state !== 'foreign') await this.clearStaging(report);
    if (state === 'counts' || state === 'late') await this.store.remove(report.runId, report.attempt);
  }

  /** No worker deletes its copy for what this memory does not know: the rows decide. */
  private async bookedState(report: FinishedReport, judged: ReportAnswer): Promise<ReportState> {
    const isBooked = judged === 'counts' || judged === 'reported';
    return isBooked ? 'reported' : this.journal.reportState(report);
  }

  /**
   * A worker keeps its copy until the files of an attempt that is over are gone from the store: should the message be lost,
   * the report comes again from the worker's disk.
   * @throws StoreUnavailable when the files are still there: the report is delivered again
   */
  private async settle(report: FinishedReport, judged: ReportAnswer, state: ReportState): Promise<void> {
    if (state === 'counts' || state === 'late')
      throw new NotHandled('the rows know of a grant or an end that this dispatcher has not seen');
    if (state === 'reported') this.tell(report, 'recorded');
    else if (judged === 'foreign' || state === 'foreign')
      return this.tell(report, 'stale', "the attempt is another worker's, or granted again since a restore");
    else {
      await this.store.remove(report.runId, report.attempt);
      this.tell(report, 'stale', 'a newer attempt was granted, or the run has finished');
    }
    await this.clearStaging(report);
  }

  /**
   * While the files were being stored, another scheduler may have ended the attempt, and removed none of them. The rows are asked
   * until they answer: a process that has lost its architecture may have lost the database as well.
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

  /** A result that the database refuses would be refused each time: its attempt has failed, for that reason. */
  private async record(
    arch: string,
    report: FinishedReport,
    kind: 'finished' | 'late',
  ): Promise<ReportAnswer> {
    try {
      return await this.dispatchers.ask(arch, { kind, report });
    } catch (error) {
      if (!(error instanceof WriteRefused)) throw error;
      const { runId, attempt, worker } = report;
      this.logger.error(`run ${runId}, attempt ${attempt}, of ${worker}: ${error.message}`);
      return this.dispatchers.ask(arch, { kind, report: withoutResult(report, error) });
    }
  }

  /** Null when all files are in the store, else what is wrong with the upload. */
  private async storeFiles(report: FinishedReport): Promise<string | null> {
    for (const file of report.files) {
      const wrong = await this.storeFile(report, file);
      if (wrong !== null) return wrong;
    }
    return null;
  }

  private async storeFile(report: FinishedReport, file: ResultFile): Promise<string | null> {
    const { runId, attempt, worker } = report;
    const content = await this.bus.unstage(worker, stagingName(report, file.name));
    if (!content) return `${file.name} is missing`;
    let damage: Error | null = null;
    content.once('error', (error: Error) => (damage = error));
    try {
      await this.store.put(runId, attempt, file.name, content, { size: file.size, sha256: file.sha256 });
      return null;
    } catch (error) {
      // A store that fails ends the upload too; that does not make it a damaged one.
      if (error instanceof StoreUnavailable) throw error;
      if (!(error instanceof StoreMismatch) && damage === null) throw error;
      return `${file.name} is damaged: ${String(error)}`;
    }
  }

  private tell(report: AttemptOfWorker, answer: RecordedSignal['answer'], reason?: string): void {
    const { runId, attempt, worker } = report;
    if (answer !== 'recorded')
      this.logger.warn(`run ${runId}, attempt ${attempt}, of ${worker}: ${answer}, ${reason}`);
    const signal: RecordedSignal = { ...grantOf(report), answer, ...(reason !== undefined && { reason }) };
    this.bus.signal(subjectOf(SUBJECTS.recorded, worker), signal);
  }

  /** Staging and live log forget by themselves what cannot be dropped now. */
  private async clearStaging(staged: StagedResult): Promise<void> {
    const { runId, attempt, worker, files } = staged;
    const cleared = await Promise.allSettled([
      ...files.map(({ name }) => this.bus.dropStaged(worker, stagingName(staged, name))),
      this.bus.purgeLog(worker, grantOf(staged)),
    ]);
    for (const outcome of cleared) {
      if (outcome.status === 'rejected') {
        this.logger.warn(
          `run ${runId}, attempt ${attempt}: something is left behind: ${String(outcome.reason)}`,
        );
      }
    }
  }
}

/** The files stay: their sizes are those that the store has seen. */
function withoutResult(
  { trouble: _, tests: __, ...report }: FinishedReport,
  { message }: WriteRefused,
): FinishedReport {
  const why = cut(`its result could not be recorded: ${message}`, MESSAGE_LENGTH_MAX);
  return { ...report, verdict: 'tmpfail', message: why, exitCode: null, version: null, durationSeconds: 0 };
}
