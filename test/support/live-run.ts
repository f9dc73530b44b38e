import { SUBJECTS } from '@proctor/contracts';
import type { RunningApi } from './api';

const WORKER = 'worker-1';

/** A run that is executed, and what its worker publishes of the log. */
export class LiveRun {
  private offset = 0;
  private chunk = 0;

  private constructor(
    private readonly api: RunningApi,
    readonly runId: number,
    private readonly epoch: number,
  ) {}

  static async start(
    api: RunningApi,
    name: string,
    parameters: Record<string, unknown> = {},
  ): Promise<LiveRun> {
    const runId = await api.submit(name, parameters);
    await api.start(runId);
    return LiveRun.of(api, runId);
  }

  /** A run that was started. */
  static async of(api: RunningApi, runId: number): Promise<LiveRun> {
    const [attempt] = await api.database.results.attemptsOf(runId);
    return new LiveRun(api, runId, attempt!.epoch);
  }

  async write(bytes: string | Buffer, isNote = false): Promise<void> {
    const data = Buffer.from(bytes);
    const chunk = { chunk: this.chunk++, offset: this.offset, data: data.toString('base64') };
    await this.api.bus.appendLog(WORKER, this.grant, isNote ? { ...chunk, isNote } : chunk);
    if (!isNote) this.offset += data.length;
  }

  /** The log is kept, the run finished, and the live log purged. */
  async end(log: string | Buffer): Promise<void> {
    await this.api.finish(this.runId, { isStarted: true, verdict: 'fail', files: { 'log.gz': log } });
    await this.over();
  }

  /** The attempt has ended; its live log is purged. */
  async over(): Promise<void> {
    await this.api.bus.purgeLog(WORKER, this.grant);
    this.api.bus.signal(SUBJECTS.resultsChanged, {});
  }

  private get grant() {
    return { runId: this.runId, attempt: 1, grantEpoch: this.epoch };
  }
}
