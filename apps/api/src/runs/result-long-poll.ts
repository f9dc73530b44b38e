import { Logger } from '@nestjs/common';
import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import type { Clock } from '@proctor/clock';
import { SUBJECTS } from '@proctor/contracts';
import { besideRequests, type Results } from '@proctor/database';
import type { DispatcherClient } from '../dispatchers/dispatcher-client';
import { comeBack } from '../http/problem';

/** How late a client gets a result whose hint was lost. */
const LOOK_EVERY_MS = 1_000;
/** Hints that come thick and fast lead to one look. */
const LOOK_GAP_MS = 100;
/** Clients that are answered after one look: each asks the database several times, and others have requests too. */
const ANSWERED_AT_ONCE_MAX = 100;
/** Each holds a connection of its client and some memory. */
const WAITING_MAX = 5_000;

interface Waiting {
  keyId: number;
  sinceSeconds: number;
  end: () => void;
}

/**
 * Clients that wait until something of their key is new. All of them share one look at the database, which is not
 * held on to in between: a second apart, and at once after a hint.
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
   * Resolves when `Results.since` would return a row, when the time is over, when the client is gone, and when the
   * process is asked to end.
   * @throws Problem 503 when very many wait already
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

  /** Something was committed that clients may wait for, at this process or another. */
  notify(): void {
    this.checkSoon();
    this.dispatchers.signal(SUBJECTS.resultsChanged, {});
  }

  /** Follows a hint that something may be new. */
  private checkSoon(): void {
    if (this.isLooking) this.isHinted = true;
    else this.schedule(this.lookedMs + LOOK_GAP_MS);
  }

  beforeApplicationShutdown(): void {
    this.endWaits();
  }

  /** All end now, and what begins later ends at once. */
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
      // It is for many, and follows the look before it, whichever request that was begun for.
      const hasNews = await besideRequests(() => this.results.withNews(waiting));
      const ready = waiting.filter((_entry, place) => hasNews[place]);
      for (const { end } of ready.slice(0, ANSWERED_AT_ONCE_MAX)) end();
      if (ready.length > ANSWERED_AT_ONCE_MAX) this.isHinted = true;
    } catch (error) {
      // They go on waiting; their queries for the rows report it in the end.
      this.logger.warn(`no look for news: ${String(error)}`);
    } finally {
      this.isLooking = false;
      this.lookedMs = this.clock.now();
      this.schedule(this.lookedMs + (this.isHinted ? LOOK_GAP_MS : LOOK_EVERY_MS));
      this.isHinted = false;
    }
  }
}
