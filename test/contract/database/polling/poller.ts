import { setTimeout as delay } from 'node:timers/promises';
import type { OpenDatabase } from '@proctor/database';
import { readSince, type ReadResult } from '@test/support/results-since';

type Seen = ReadResult;

/** A client of the interface: it sends `until` back as `since`, and believes each answer. */
export class Poller {
  private readonly latest = new Map<number, Seen>();
  private readonly firstSeenAt = new Map<string, number>();
  private oldestRepeat = 0;
  private longestTurn = 0;
  private isOver = false;

  constructor(
    private readonly database: OpenDatabase,
    private readonly keyId: number,
    private readonly pauseMs: number,
  ) {}

  /** Resolves after `stop`, once an answer is empty. */
  async poll(): Promise<void> {
    let since = 0;
    let sinceAskedAt = performance.now();
    for (;;) {
      const isLast = this.isOver;
      const begunAt = performance.now();
      const { until, rows } = await readSince(this.database.results, this.keyId, since);
      let count = 0;
      for await (const row of rows) {
        this.see(row, sinceAskedAt);
        count += 1;
      }
      if (until < since) throw new Error(`until went back from ${since} to ${until}`);
      if (isLast && count === 0) return;
      since = until;
      sinceAskedAt = begunAt;
      await delay(this.pauseMs);
      this.longestTurn = Math.max(this.longestTurn, performance.now() - begunAt);
    }
  }

  stop(): void {
    this.isOver = true;
  }

  /** What the client knows in the end, by run id. */
  lastSeen(): Seen[] {
    return [...this.latest.values()].sort((a, b) => a.runId - b.runId);
  }

  /**
   * The longest time, in milliseconds, after which the service named a `since` before a row that the client had already and
   * that had not changed. What the client does between two questions is no part of it.
   */
  oldestRepeatMs(): number {
    return this.oldestRepeat;
  }

  /** The longest time, in milliseconds, from one question to the next. */
  longestTurnMs(): number {
    return this.longestTurn;
  }

  private see({ runId, state, verdict, isPrivate, updatedAt }: ReadResult, sinceAskedAt: number): void {
    this.latest.set(runId, { runId, state, verdict, isPrivate, updatedAt });
    const version = `${runId} ${updatedAt.toISOString()}`;
    const firstSeenAt = this.firstSeenAt.get(version) ?? performance.now();
    this.firstSeenAt.set(version, firstSeenAt);
    this.oldestRepeat = Math.max(this.oldestRepeat, sinceAskedAt - firstSeenAt);
  }
}
