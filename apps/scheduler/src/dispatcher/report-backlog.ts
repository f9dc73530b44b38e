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
 * The finished reports that wait in the stream when an owner begins. Until each is settled, its run's lease must not
 * expire, however long its worker was silent: those of other runs may.
 */
export class ReportBacklog {
  private readonly logger = new Logger('Reports');
  /** Subjects' attempts of the first listing that wait still. */
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

  /** Tells what waits, once that is known, and whenever it has become fewer. Resolves when nothing is left of it. */
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
    const left = this.waiting?.filter((attempt) => names.has(nameOf(attempt))) ?? waiting;
    if (left.length !== this.waiting?.length) report(left);
    this.waiting = left;
  }

  /** Null when that failed. A report of an unknown kind is taken for that of the end, as when it is refused. */
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
