import {
  grantName,
  grantOf,
  KEPT_MAX,
  reportSubject,
  type FinishedReport,
  type Grant,
  type RecordedSignal,
  type StartedReport,
} from '@proctor/contracts';
import { withLogFields } from '@proctor/process';
import type { Deliver, LocalFile, ReportOutbox } from '../slot/ports';
import { DroppedResults } from './dropped-results';
import { ResultDelivery, type DeliveryParts, type DeliverySettings } from './delivery';
import { checkReport } from './check-report';
import { saveResult, loadResults, type SavedResult } from './result-folder';

const DELIVERY_SETTINGS: DeliverySettings = {
  resendFirstMs: 5_000,
  resendMaxMs: 20_000,
  refusedKeptMax: 10,
};

interface OutboxParts extends Omit<DeliveryParts, 'settings' | 'dropped'> {
  /** The folder for results. */
  path: string;
  settings?: DeliverySettings;
  /** Called when a result could not be saved. */
  onSaveFailed?: (why: string) => void;
}

/** Results on their way to the dispatchers: on disk until a dispatcher has answered. */
export class DiskOutbox implements ReportOutbox {
  private readonly deliveries = new Map<string, ResultDelivery>();
  /** Saved results that are not complete, so not delivered yet. */
  private readonly incomplete = new Map<string, SavedResult>();
  private stopped = false;
  readonly dropped = new DroppedResults();

  constructor(private readonly parts: OutboxParts) {}

  /** Delivers the results of an earlier life; resolves when the dispatchers have answered all of them. */
  async deliverLeftovers(): Promise<void> {
    const results = await loadResults(this.parts.path, (line) => this.parts.log.warn(line));
    if (results.length > 0) this.parts.log.log(`delivering ${results.length} results that were left on disk`);
    await Promise.all(results.map((result) => this.deliver(result)));
  }

  reportStart(arch: string, report: StartedReport): void {
    this.parts.bus.report(reportSubject(arch, 'started', report), report).catch((error: unknown) => {
      this.parts.log.warn(`${titleOf(report)}: its start was not reported: ${String(error)}`);
    });
  }

  async save(arch: string, report: FinishedReport, files: LocalFile[]): Promise<Deliver> {
    if (this.deliveries.has(key(report))) {
      const dropped = `${titleOf(report)}: a second result is dropped, ${report.verdict} (${report.message})`;
      this.parts.log.warn(`${dropped}: the first one is on its way`);
      this.dropped.count('second');
      return () => Promise.resolve();
    }
    const { report: sound, dropped } = checkReport(report);
    if (dropped !== null)
      this.parts.log.warn(`${titleOf(report)}: the result is reported otherwise: ${dropped}`);
    const result = await this.write(arch, sound, sound.files.length > 0 ? files : []);
    this.incomplete.set(key(report), result);
    return () => this.deliver(result);
  }

  reportUnsaved(arch: string, report: FinishedReport): Promise<void> {
    return this.deliver({ arch, report: checkReport({ ...report, files: [] }).report, folder: null });
  }

  onRecorded(signal: RecordedSignal): void {
    this.deliveries.get(key(signal))?.onAnswer(signal);
  }

  listWaiting(arch: string): Grant[] {
    const delivered = [...this.deliveries.values()].map((delivery) => ({
      ...delivery.grant,
      arch: delivery.arch,
    }));
    const incomplete = [...this.incomplete.values()].map((result) => ({
      ...result.report,
      arch: result.arch,
    }));
    return [...delivered, ...incomplete]
      .filter((each) => each.arch === arch)
      .slice(0, KEPT_MAX)
      .map(grantOf);
  }

  /** Results that no dispatcher has answered yet. */
  get waiting(): number {
    return this.deliveries.size + this.incomplete.size;
  }

  /** The connection to NATS is back. */
  retryNow(): void {
    for (const delivery of this.deliveries.values()) delivery.retryNow();
  }

  /** Unanswered results stay on disk for the next life. */
  stop(): void {
    this.stopped = true;
    for (const delivery of this.deliveries.values()) delivery.stop();
  }

  private async write(arch: string, report: FinishedReport, files: LocalFile[]): Promise<SavedResult> {
    try {
      return await saveResult(this.parts.path, arch, report, files);
    } catch (error) {
      this.parts.onSaveFailed?.(String(error));
      throw error;
    }
  }

  private async deliver(result: SavedResult): Promise<void> {
    this.incomplete.delete(key(result.report));
    if (this.deliveries.has(key(result.report)) || (this.stopped && result.folder !== null)) return;
    const delivery = new ResultDelivery(result, {
      settings: DELIVERY_SETTINGS,
      ...this.parts,
      dropped: this.dropped,
    });
    this.deliveries.set(key(result.report), delivery);
    // A stopped delivery warns that the result, which is on no disk, is lost.
    if (this.stopped) delivery.stop();
    try {
      const { runId: run, attempt } = result.report;
      await withLogFields({ run, attempt }, () => delivery.deliver());
    } finally {
      this.deliveries.delete(key(result.report));
    }
  }
}

function key(grant: Grant): string {
  return grantName(grant, '/');
}

function titleOf({ runId, attempt }: Grant): string {
  return `run ${runId} attempt ${attempt}`;
}
