import { Logger } from '@nestjs/common';
import { Outages, type Bus } from '@proctor/bus';
import { WakeUp, type Clock } from '@proctor/clock';

/** How often the streams are checked; an operator may have deleted one. */
const CHECK_EVERY_MS = 60_000;
/** The pause after a stream could not be created. */
const RETRY_MS = 5_000;

/**
 * Creates the streams in which the registered workers report to one architecture: immediately, and again if one is
 * lost.
 */
export class ReportStreams {
  private readonly outages: Outages;
  private workers: string[] = [];
  private readonly wakeUp: WakeUp;
  private stopped = false;

  constructor(
    private readonly arch: string,
    private readonly bus: Pick<Bus, 'prepareReports'>,
    clock: Clock,
  ) {
    this.wakeUp = new WakeUp(clock);
    this.outages = new Outages(new Logger('Streams'), clock);
  }

  /** The register was read: these workers may report to the architecture. */
  setWorkers(workers: string[]): void {
    if (workers.join() === this.workers.join()) return;
    this.workers = workers;
    this.wakeUp.wake();
  }

  /** Runs until stop(). */
  async follow(): Promise<void> {
    while (!this.stopped) {
      this.wakeUp.reset();
      const isDone = await this.prepare();
      await this.wakeUp.wait(isDone ? CHECK_EVERY_MS : RETRY_MS);
    }
  }

  stop(): void {
    this.stopped = true;
    this.wakeUp.wake();
  }

  private async prepare(): Promise<boolean> {
    const what = `making the streams of reports to ${this.arch}`;
    try {
      await this.bus.prepareReports(this.arch, this.workers);
      this.outages.onSuccess(what);
      return true;
    } catch (error) {
      this.outages.onFailure(what, String(error));
      return false;
    }
  }
}
