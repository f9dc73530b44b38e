import { logFilter, logStream, stagingFilter, stagingStream } from '@proctor/contracts';
import type { NatsLink } from './nats-link';
import { runInParallel } from './nats-report-streams';

/** The streams of live logs and the staging areas: for each worker one of each. */
export class NatsWorkerStreams {
  /** Workers whose streams were brought up to date. */
  private readonly prepared = new Set<string>();

  constructor(private readonly link: NatsLink) {}

  /** See Bus.prepareWorkers. One that is refused keeps none of the others from being made. */
  async prepare(workers: readonly string[]): Promise<void> {
    const isKnown = workers.some((worker) => this.prepared.has(worker));
    // What all workers have takes a few requests.
    const present = isKnown ? await this.listPresent() : new Set<string>();
    const isLacking = (worker: string) =>
      !this.prepared.has(worker) || !present.has(logStream(worker)) || !present.has(stagingStream(worker));
    await runInParallel(workers.filter(isLacking), async (worker) => {
      await this.link.ensureWorkerStreams(worker);
      this.prepared.add(worker);
    });
  }

  /** Makes again what the server has lost. */
  async restore(): Promise<void> {
    await this.prepare([...this.prepared]);
  }

  /** Names of streams. */
  private async listPresent(): Promise<Set<string>> {
    const present = new Set<string>();
    for (const filter of [logFilter('*'), stagingFilter('*')])
      for await (const { config } of this.link.jsm.streams.list(filter)) present.add(config.name);
    return present;
  }
}
