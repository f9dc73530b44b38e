import { logFilter, logStream, stagingFilter, stagingStream } from '@proctor/contracts';
import type { NatsLink } from './nats-link';
import { runInParallel } from './nats-report-streams';

/** The streams of live logs and of staging areas: one of each for each worker. */
export class NatsWorkerStreams {
  /** Workers whose streams have up-to-date limits. */
  private readonly prepared = new Set<string>();

  constructor(private readonly link: NatsLink) {}

  /** See Bus.prepareWorkers. A refused stream does not keep the others from being created. */
  async prepare(workers: readonly string[]): Promise<void> {
    const isKnown = workers.some((worker) => this.prepared.has(worker));
    // A few requests list the streams of all workers.
    const present = isKnown ? await this.listPresent() : new Set<string>();
    const isLacking = (worker: string) =>
      !this.prepared.has(worker) || !present.has(logStream(worker)) || !present.has(stagingStream(worker));
    await runInParallel(workers.filter(isLacking), async (worker) => {
      await this.link.prepareWorkerStreams(worker);
      this.prepared.add(worker);
    });
  }

  /** Creates again what the server has lost. */
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
