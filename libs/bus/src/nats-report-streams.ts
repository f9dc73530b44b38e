import {
  reportFilter,
  reportOrigin,
  reportStream,
  sharedReportStream,
  type ReportOrigin,
} from '@proctor/contracts';
import type { NatsLink } from './nats-link';
import { retireSharedReportStream } from './streams';

/** Requests to JetStream in parallel. */
const REQUESTS_MAX = 16;

/** The streams of reports: for each architecture, one for each of its workers. */
export class NatsReportStreams {
  /** Architecture → the workers of the latest call of `prepare`. */
  private readonly workersOf = new Map<string, readonly string[]>();
  /** Names of the streams whose limits are up to date. */
  private readonly prepared = new Set<string>();

  constructor(private readonly link: NatsLink) {}

  /** See Bus.prepareReports. A refused stream does not keep the others from being created. */
  async prepare(arch: string, workers: readonly string[]): Promise<void> {
    this.workersOf.set(arch, workers);
    const present = await this.listPresent(arch);
    if (present.has(sharedReportStream(arch))) await retireSharedReportStream(this.link.jsm, arch);
    const isLacking = (worker: string) => {
      const name = reportStream(arch, worker);
      return !this.prepared.has(name) || !present.get(name);
    };
    await runInParallel(workers.filter(isLacking), async (worker) => {
      await this.link.prepareReportStream(arch, worker);
      this.prepared.add(reportStream(arch, worker));
    });
  }

  /** The workers of the latest call of `prepare`. */
  workersFor(arch: string): readonly string[] {
    return this.workersOf.get(arch) ?? [];
  }

  /** Creates again what the server has lost. */
  async restore(): Promise<void> {
    for (const [arch, workers] of this.workersOf) await this.prepare(arch, workers);
  }

  /** See Bus.listWaitingReports. */
  async listWaiting(arch: string): Promise<ReportOrigin[]> {
    const origins: ReportOrigin[] = [];
    const present = await this.listPresent(arch);
    const filled = [...present].filter(([, content]) => content?.messages);
    await runInParallel(filled, async ([name]) => {
      const { state } = await this.link.jsm.streams.info(name, { subjects_filter: reportFilter(arch) });
      for (const subject of Object.keys(state.subjects ?? {})) {
        const origin = reportOrigin(subject);
        if (origin) origins.push(origin);
      }
    });
    return origins;
  }

  /** Stream of the architecture → what it holds; null when its reports are not delivered. */
  private async listPresent(arch: string): Promise<Map<string, { messages: number } | null>> {
    const present = new Map<string, { messages: number } | null>();
    for await (const { config, state } of this.link.jsm.streams.list(reportFilter(arch)))
      present.set(config.name, state.consumer_count > 0 ? state : null);
    return present;
  }
}

/** @throws the first error, once all have been tried */
export async function runInParallel<Item>(items: Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const failures: unknown[] = [];
  const rest = items.values();
  const workThrough = async () => {
    for (const item of rest) await work(item).catch((error: unknown) => failures.push(error));
  };
  await Promise.all(Array.from({ length: REQUESTS_MAX }, workThrough));
  if (failures.length > 0) throw failures[0];
}
