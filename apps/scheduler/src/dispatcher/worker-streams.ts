import { Inject, Injectable, Logger } from '@nestjs/common';
import { Bus, Outages } from '@proctor/bus';
import type { Clock } from '@proctor/clock';
import { grantOf, type Grant } from '@proctor/contracts';
import { CLOCK } from '../configuration.token';

/** How long it is taken for granted that a worker's streams are there; an operator may have deleted one. */
const PREPARED_MS = 60_000;

/** A worker that is told to stop an attempt has sent the last of its log by then. */
const SILENT_AFTER_MS = 30_000;

/** The streams that workers put logs and files into, and may not make themselves. */
@Injectable()
export class WorkerStreams {
  private readonly logger = new Logger('Streams');
  private readonly outages: Outages;
  private readonly preparedAtMs = new Map<string, number>();

  constructor(
    @Inject(Bus) private readonly bus: Pick<Bus, 'prepareWorker' | 'purgeLog'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.outages = new Outages(this.logger, clock);
  }

  /** The worker asks for work: it will need its streams. No ask waits for that. */
  heard(worker: string): void {
    const now = this.clock.now();
    if (now - (this.preparedAtMs.get(worker) ?? -Infinity) < PREPARED_MS) return;
    this.preparedAtMs.set(worker, now);
    const what = `making the streams of ${worker}`;
    this.bus.prepareWorker(worker).then(
      () => this.outages.succeeded(what),
      (error: unknown) => {
        this.preparedAtMs.delete(worker);
        this.outages.failed(what, String(error));
      },
    );
  }

  /** The worker was told to stop the attempt. */
  stopped(worker: string, grant: Grant): void {
    this.clock.after(SILENT_AFTER_MS, () => this.forgetLog(worker, grant));
  }

  /** An attempt ended without a result: its log will not be stored. What is left behind ends by its age. */
  forgetLog(worker: string, grant: Grant): void {
    this.bus.purgeLog(worker, grantOf(grant)).catch((error: unknown) => {
      const { runId, attempt } = grant;
      this.logger.warn(`run ${runId} attempt ${attempt}: its live log is left behind: ${String(error)}`);
    });
  }
}
