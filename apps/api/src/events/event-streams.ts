import { Logger } from '@nestjs/common';
import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import { type Clock, WakeUp } from '@proctor/clock';
import { SUBJECTS } from '@proctor/contracts';
import { asBackgroundWork } from '@proctor/database';
import { type EventSource, EventWindow, type RunEvent } from '@proctor/events';
import type { DispatcherClient } from '../dispatchers/dispatcher-client';
import { inSlices, type SlicedWork } from '../http/slices';

/** How late an event is if its signal was lost. */
const LOOK_EVERY_MS = 1_000;
/** Signals within this time lead to one read. */
const LOOK_GAP_MS = 100;

/** A connection that gets new events. */
export interface EventListener {
  /** Bytes that its client has not read yet. */
  readonly waitingBytes: number;
  /**
   * @param second the place from which a client with these events may continue
   * @param waitingBytesMax a client for which more bytes wait is cut off
   */
  deliver(events: RunEvent[], second: number, waitingBytesMax: number): void;
  end(reason: string): void;
}

/** How many bytes may wait for clients that do not read. */
interface WaitingLimits {
  /** The maximum of one client. */
  waitingBytesMax: number;
  /** The maximum of all together. */
  waitingBytesTotalMax: number;
}

/** Reads new events once for all clients that follow them. */
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
    private readonly limits: () => WaitingLimits,
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
   * The listener gets all events that no read has returned yet.
   * @returns the second before which all events were read already, and the end of the subscription
   */
  async join(listener: EventListener): Promise<{ second: number; leave: () => void }> {
    const window = await this.waitForWindow();
    this.listeners.add(listener);
    if (!this.isFollowing) void asBackgroundWork(() => this.follow(window));
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

  /** While this waits, the window may end because the last follower has gone; then the next one is created. */
  private async waitForWindow(): Promise<EventWindow> {
    for (;;) {
      const starting = (this.window ??= asBackgroundWork(() => this.createWindow()));
      try {
        const window = await starting;
        if (this.window === starting) return window;
      } catch (error) {
        if (this.window === starting) this.window = null;
        throw error;
      }
    }
  }

  /** Existing events count as read. */
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

  /** To thousands of listeners, a page takes seconds. Who joins meanwhile gets the next one. */
  private *deliver(page: RunEvent[], second: number): SlicedWork<void> {
    const waitingBytesMax = this.waitingBytesOfEach();
    for (const listener of [...this.listeners]) {
      if (this.listeners.has(listener)) listener.deliver(page, second, waitingBytesMax);
      yield;
    }
  }

  /** If too many bytes wait in all, each client may keep its equal share: clients that read are not cut off. */
  private waitingBytesOfEach(): number {
    const { waitingBytesMax, waitingBytesTotalMax } = this.limits();
    let total = 0;
    for (const { waitingBytes } of this.listeners) total += waitingBytes;
    if (total <= waitingBytesTotalMax) return waitingBytesMax;
    return Math.min(waitingBytesMax, waitingBytesTotalMax / this.listeners.size);
  }

  private async deliverNew(window: EventWindow): Promise<boolean> {
    try {
      for await (const page of window.pass()) await inSlices(this.deliver(page, window.second));
      return window.hasMore;
    } catch (error) {
      // The next read may succeed.
      this.logger.warn(`no look for events: ${String(error)}`);
      return false;
    }
  }
}
