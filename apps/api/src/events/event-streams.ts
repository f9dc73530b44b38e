import { Logger } from '@nestjs/common';
import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import { type Clock, WakeUp } from '@proctor/clock';
import { SUBJECTS } from '@proctor/contracts';
import { besideRequests } from '@proctor/database';
import { type EventSource, EventWindow, type RunEvent } from '@proctor/events';
import type { DispatcherClient } from '../dispatchers/dispatcher-client';

/** How late an event comes when its signal was lost. */
const LOOK_EVERY_MS = 1_000;
/** Hints that come thick and fast lead to one look. */
const LOOK_GAP_MS = 100;

/** A connection that gets events as they come. */
export interface EventListener {
  /** @param second from which a client that has these may go on */
  deliver(events: RunEvent[], second: number): void;
  end(reason: string): void;
}

/** One reader of the events for all who follow them: however many they are, the database is asked once. */
export class EventStreams implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('EventStreams');
  private readonly listeners = new Set<EventListener>();
  private readonly news: WakeUp;
  private window: Promise<EventWindow> | null = null;
  private isFollowing = false;
  private isShutDown = false;

  constructor(
    private readonly source: EventSource,
    private readonly clock: Clock,
    private readonly dispatchers: Pick<DispatcherClient, 'listen'>,
  ) {
    this.news = new WakeUp(clock);
  }

  onApplicationBootstrap(): void {
    this.dispatchers.listen(SUBJECTS.resultsChanged, () => this.news.wake());
  }

  get isEnding(): boolean {
    return this.isShutDown;
  }

  /**
   * From now on the listener gets what no read has found yet.
   * @returns the second to begin with for what was found before, and what ends it
   */
  async join(listener: EventListener): Promise<{ second: number; leave: () => void }> {
    const window = await this.waitForWindow();
    this.listeners.add(listener);
    if (!this.isFollowing) void besideRequests(() => this.follow(window));
    return { second: window.second, leave: () => this.leave(listener) };
  }

  beforeApplicationShutdown(): void {
    this.isShutDown = true;
    this.news.wake();
    for (const listener of this.listeners) listener.end('the service restarts');
  }

  private leave(listener: EventListener): void {
    this.listeners.delete(listener);
    if (this.listeners.size === 0) this.news.wake();
  }

  /** It may end while it is waited for, when the last that followed has gone. */
  private async waitForWindow(): Promise<EventWindow> {
    for (;;) {
      const starting = (this.window ??= besideRequests(() => this.createWindow()));
      try {
        const window = await starting;
        if (this.window === starting) return window;
      } catch (error) {
        if (this.window === starting) this.window = null;
        throw error;
      }
    }
  }

  /** Events that are there already count as read. */
  private async createWindow(): Promise<EventWindow> {
    await this.source.raise();
    const { horizon } = await this.source.start(Infinity);
    const window = new EventWindow(horizon, this.source);
    for await (const page of window.pass()) void page;
    return window;
  }

  private async follow(window: EventWindow): Promise<void> {
    this.isFollowing = true;
    while (this.listeners.size > 0 && !this.isShutDown) {
      this.news.reset();
      const hasMore = await this.deliverNew(window);
      if (hasMore) continue;
      await new Promise<void>((resolve) => void this.clock.after(LOOK_GAP_MS, resolve));
      if (this.listeners.size > 0 && !this.isShutDown) await this.news.wait(LOOK_EVERY_MS);
    }
    this.window = null;
    this.isFollowing = false;
  }

  private async deliverNew(window: EventWindow): Promise<boolean> {
    try {
      for await (const page of window.pass())
        for (const listener of this.listeners) listener.deliver(page, window.second);
      return window.hasMore;
    } catch (error) {
      // The next look may find what this one could not.
      this.logger.warn(`no look for events: ${String(error)}`);
      return false;
    }
  }
}
