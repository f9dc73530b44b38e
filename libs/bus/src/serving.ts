import { Logger } from '@nestjs/common';
import { WakeUp, type Clock } from '@proctor/clock';
import type { Bus, BusMessage, ReportConsumption, ReportHandler, ReportRefusal } from './bus';
import { Outages } from './outages';

const RETRY_MS = 1000;

/** The handlers of reports. */
interface ReportHandlers {
  handle: ReportHandler;
  refuse?: ReportRefusal | undefined;
}

/** Everything that one process receives for one scope, until the scope is withdrawn. */
export class Serving {
  private readonly logger = new Logger('Bus');
  private readonly unsubscribes: (() => void)[] = [];
  private consumption: ReportConsumption | null = null;
  private readonly wakeUp: WakeUp;
  private stopped = false;

  constructor(
    private readonly bus: Bus,
    private readonly scope: string,
    private readonly clock: Clock,
  ) {
    this.wakeUp = new WakeUp(clock);
  }

  subscribe(subject: string, handler: (message: BusMessage) => void): void {
    this.unsubscribes.push(this.bus.subscribe(subject, handler));
  }

  /** Starts to receive reports, if any are handled; tries until it works or is stopped. */
  async start(reports: ReportHandlers | null): Promise<void> {
    const outages = new Outages(this.logger, this.clock);
    while (!this.stopped) {
      try {
        await this.bus.flush();
        if (reports) await this.consume(reports);
        return outages.onSuccess(`serving ${this.scope}`);
      } catch (error) {
        outages.onFailure(`serving ${this.scope}`, String(error));
        await this.wakeUp.wait(RETRY_MS);
      }
    }
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.wakeUp.wake();
    for (const unsubscribe of this.unsubscribes) unsubscribe();
    await this.consumption?.stop();
  }

  private async consume({ handle, refuse }: ReportHandlers): Promise<void> {
    const consumption = await this.bus.consumeReports(this.scope, handle, refuse);
    if (this.stopped) return consumption.stop();
    this.consumption = consumption;
  }
}
