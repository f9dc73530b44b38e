import { Logger } from '@nestjs/common';
import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import type { Clock } from '@proctor/clock';
import { SUBJECTS } from '@proctor/contracts';
import { asBackgroundWork, type Results } from '@proctor/database';
import type { DispatcherClient } from '../dispatchers/dispatcher-client';
import { comeBack } from '../http/problem';

/** How late a client gets a result if its hint was lost. */
const LOOK_EVERY_MS = 1_000;
/** Hints within this time lead to one query. */
const LOOK_GAP_MS = 100;
/** How many clients are answered after one query: each needs several queries, and others have requests, too. */
const ANSWERED_AT_ONCE_MAX = 100;
/** Each waiting client needs a connection and some memory. */
const WAITING_MAX = 5_000;

interface Waiting {
  keyId: number;
  sinceSeconds: number;
  end: () => void;
}

/**
 * Waits of clients for news of their keys. All share one query, each second and at once after a hint, and hold no
 * database connection in between.
 */
export class ResultLongPoll implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('ResultLongPoll');
  private readonly waiting = new Set<Waiting>();
  private readonly next = { dueMs: Infinity, cancel: (): void => undefined };
  private lookedMs = -Infinity;
  private isLooking = false;
  private isHinted = false;
  private isShutDown = false;

  constructor(
    private readonly results: Results,
    private readonly clock: Clock,
    private readonly dispatchers: Pick<DispatcherClient, 'listen' | 'signal'>,
  ) {}

  onApplicationBootstrap(): void {
    this.dispatchers.listen(SUBJECTS.resultsChanged, () => this.checkSoon());
  }

  /**
   * Resolves when `Results.since` would return a row, the time is over, the client has gone, or the process stops.
   * @throws Problem 503 if too many clients wait already
   */
  async wait(keyId: number, sinceSeconds: number, waitMs: number, departure: AbortSignal): Promise<void> {
    if (waitMs <= 0 || departure.aborted || this.isShutDown) return;
    if (this.waiting.size >= WAITING_MAX) {
      throw comeBack(
        503,
        'Too many clients wait for results; the list without wait is there.',
        LOOK_EVERY_MS,
      );
    }
    await new Promise<void>((resolve) => {
      const entry: Waiting = { keyId, sinceSeconds, end: () => end() };
      const cancel = this.clock.after(waitMs, () => end());
      const end = (): void => {
        cancel();
        departure.removeEventListener('abort', end);
        this.waiting.delete(entry);
        if (this.waiting.size === 0) this.rest();
        resolve();
      };
      departure.addEventListener('abort', end);
      this.waiting.add(entry);
      this.checkSoon();
    });
  }

  /** This process or another has committed something that clients may wait for. */
  notify(): void {
    this.checkSoon();
    this.dispatchers.signal(SUBJECTS.resultsChanged, {});
  }

  /** Reacts to a hint of news. */
  private checkSoon(): void {
    if (this.isLooking) this.isHinted = true;
    else this.schedule(this.lookedMs + LOOK_GAP_MS);
  }

  beforeApplicationShutdown(): void {
    this.endWaits();
  }

  /** Ends all present waits; later ones end at once. */
  endWaits(): void {
    this.isShutDown = true;
    for (const { end } of this.waiting) end();
  }

  private schedule(atMs: number): void {
    if (this.waiting.size === 0 || this.isShutDown || atMs >= this.next.dueMs) return;
    this.rest();
    this.next.dueMs = atMs;
    this.next.cancel = this.clock.after(Math.max(0, atMs - this.clock.now()), () => void this.checkNow());
  }

  private rest(): void {
    this.next.cancel();
    this.next.dueMs = Infinity;
  }

  private async checkNow(): Promise<void> {
    this.next.dueMs = Infinity;
    this.isLooking = true;
    const waiting = [...this.waiting];
    try {
      // The query serves many clients, so it counts for no single request.
      const hasNews = await asBackgroundWork(() => this.results.withNews(waiting));
      const ready = waiting.filter((_entry, place) => hasNews[place]);
      for (const { end } of ready.slice(0, ANSWERED_AT_ONCE_MAX)) end();
      if (ready.length > ANSWERED_AT_ONCE_MAX) this.isHinted = true;
    } catch (error) {
      // The clients keep waiting; their queries for the rows report the error in the end.
      this.logger.warn(`no look for news: ${String(error)}`);
    } finally {
      this.isLooking = false;
      this.lookedMs = this.clock.now();
      this.schedule(this.lookedMs + (this.isHinted ? LOOK_GAP_MS : LOOK_EVERY_MS));
      this.isHinted = false;
    }
  }
}
