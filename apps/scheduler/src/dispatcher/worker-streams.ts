import { Inject, Injectable, Logger } from '@nestjs/common';
import { Bus, Outages } from '@proctor/bus';
import type { Clock } from '@proctor/clock';
import { grantOf, type Grant } from '@proctor/contracts';
import { CLOCK } from '../configuration.token';

/** How often a worker's streams are checked; an operator may have deleted one. */
const PREPARED_MS = 60_000;

/** After this time a worker that was signalled to stop an attempt has sent the last of its log. */
const SILENT_AFTER_MS = 30_000;

/** Creates the streams for the logs and files of workers, since workers may not create any. */
@Injectable()
export class WorkerStreams {
  private readonly logger = new Logger('Streams');
  private readonly outages: Outages;
  private readonly prepared = new Set<string>();
  /** Workers that have sent a request since their streams were created or checked. */
  private readonly toCheck = new Set<string>();

  constructor(
    @Inject(Bus) private readonly bus: Pick<Bus, 'prepareWorkers' | 'purgeLog'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.outages = new Outages(this.logger, clock);
  }

  /** The worker requests work: it will need its streams. The request does not wait for them. */
  onRequest(worker: string): void {
    if (!this.prepared.has(worker)) return this.prepare([worker]);
    if (this.toCheck.size === 0) this.clock.after(PREPARED_MS, () => this.check());
    this.toCheck.add(worker);
  }

  /** The worker was signalled to stop the attempt. */
  onStopped(worker: string, grant: Grant): void {
    this.clock.after(SILENT_AFTER_MS, () => this.deleteLog(worker, grant));
  }

  /** An attempt ended without a result: its log will not be stored. A log that cannot be deleted ends by its age. */
  deleteLog(worker: string, grant: Grant): void {
    this.bus.purgeLog(worker, grantOf(grant)).catch((error: unknown) => {
      const { runId, attempt } = grant;
      this.logger.warn(`run ${runId} attempt ${attempt}: its live log is left behind: ${String(error)}`);
    });
  }

  /** Checks all workers at once: a few requests list all streams. */
  private check(): void {
    const workers = [...this.toCheck];
    this.toCheck.clear();
    this.prepare(workers);
  }

  private prepare(workers: string[]): void {
    for (const worker of workers) this.prepared.add(worker);
    const what =
      workers.length === 1 ? `making the streams of ${workers[0]}` : 'making the streams of workers';
    this.bus.prepareWorkers(workers).then(
      () => this.outages.onSuccess(what),
      (error: unknown) => {
        for (const worker of workers) this.prepared.delete(worker);
        this.outages.onFailure(what, String(error));
      },
    );
  }
}
