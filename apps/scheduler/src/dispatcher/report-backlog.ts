import { Logger } from '@nestjs/common';
import { WakeUp, type Clock } from '@proctor/clock';
import { grantName, type ReportOrigin } from '@proctor/contracts';
import type { AttemptOfWorker } from '@proctor/dispatch';

/** The pause before the reports are listed again, whether the last listing failed or not. */
const LIST_EVERY_MS = 1_000;

interface Stream {
  listWaitingReports(arch: string): Promise<ReportOrigin[]>;
}

/**
 * The finished reports that wait in the stream when an owner starts. The lease of a run with such a report must not
 * expire until the report is settled, however long its worker was silent. Leases of other runs may expire.
 */
export class ReportBacklog {
  private readonly logger = new Logger('Reports');
  /** Attempts of the first listing whose reports still wait; null before it. */
  private waiting: AttemptOfWorker[] | null = null;
  private readonly wakeUp: WakeUp;
  private stopped = false;

  constructor(
    private readonly arch: string,
    private readonly stream: Stream,
    clock: Clock,
  ) {
    this.wakeUp = new WakeUp(clock);
  }

  /**
   * Reports the waiting attempts after the first listing, and each time there are fewer. Resolves when none is left.
   */
  async follow(report: (attempts: AttemptOfWorker[]) => void): Promise<void> {
    while (!this.stopped) {
      const waiting = await this.list();
      if (this.stopped) return;
      if (waiting) this.compare(waiting, report);
      if (this.waiting?.length === 0) return;
      await this.wakeUp.wait(LIST_EVERY_MS);
    }
  }

  stop(): void {
    this.stopped = true;
    this.wakeUp.wake();
  }

  private compare(waiting: AttemptOfWorker[], report: (attempts: AttemptOfWorker[]) => void): void {
    const names = new Set(waiting.map(nameOf));
    const rest = this.waiting?.filter((attempt) => names.has(nameOf(attempt))) ?? waiting;
    if (rest.length !== this.waiting?.length) report(rest);
    this.waiting = rest;
  }

  /** @returns null if it failed. A report of an unknown kind is treated as the end, as when it is refused. */
  private async list(): Promise<AttemptOfWorker[] | null> {
    try {
      const origins = await this.stream.listWaitingReports(this.arch);
      return origins.filter(({ kind }) => kind !== 'started');
    } catch (error) {
      this.logger.debug(`the waiting reports of ${this.arch} could not be listed: ${String(error)}`);
      return null;
    }
  }
}

function nameOf({ worker, ...grant }: AttemptOfWorker): string {
  return `${worker} ${grantName(grant, ' ')}`;
}
