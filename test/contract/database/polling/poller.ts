import { setTimeout as delay } from 'node:timers/promises';
import type { OpenDatabase } from '@proctor/database';
import { readSince, type ReadResult } from '@test/support/results-since';

type Seen = ReadResult;

/** A client of the interface: it sends `until` back as `since`, and believes each answer. */
export class Poller {
  private readonly latest = new Map<number, Seen>();
  private isOver = false;

  constructor(
    private readonly database: OpenDatabase,
    private readonly keyId: number,
    private readonly pauseMs: number,
  ) {}

  /** Resolves after `stop`, once an answer is empty: never, if the service names a `since` that stays behind. */
  async poll(): Promise<void> {
    let since = 0;
    for (;;) {
      const isLast = this.isOver;
      const { until, rows } = await readSince(this.database.results, this.keyId, since);
      let count = 0;
      for await (const row of rows) {
        this.see(row);
        count += 1;
      }
      if (until < since) throw new Error(`until went back from ${since} to ${until}`);
      if (isLast && count === 0) return;
      since = until;
      await delay(this.pauseMs);
    }
  }

  stop(): void {
    this.isOver = true;
  }

  /** What the client knows in the end, by run id. */
  lastSeen(): Seen[] {
    return [...this.latest.values()].sort((a, b) => a.runId - b.runId);
  }

  private see({ runId, state, verdict, isPrivate, updatedAt }: ReadResult): void {
    this.latest.set(runId, { runId, state, verdict, isPrivate, updatedAt });
  }
}
