import type { Clock } from '@proctor/clock';
import { LRUCache } from 'lru-cache';

/** How many clients a process remembers; above that, the one with the oldest request is removed. */
const CLIENTS_MAX = 100_000;

interface CountedWindow {
  count: number;
  endMs: number;
}

/**
 * Counts how often each client did something within a time span, which starts with the first time. Its memory is
 * limited.
 */
export class CountedWindows {
  // With `max` the cache would reserve its memory at once, and there are six of them.
  private readonly windows = new LRUCache<string, CountedWindow>({
    maxSize: CLIENTS_MAX,
    sizeCalculation: () => 1,
  });

  constructor(
    private readonly spanMs: number,
    private readonly clock: Clock,
  ) {}

  /**
   * Adds one to the count.
   * @returns 0 if the count is within `countMax`, else the milliseconds until the client's time span ends
   */
  add(client: string, countMax: number): number {
    const now = this.clock.now();
    let window = this.windows.get(client);
    if (!window || window.endMs <= now)
      this.windows.set(client, (window = { count: 0, endMs: now + this.spanMs }));
    window.count += 1;
    return window.count > countMax ? window.endMs - now : 0;
  }

  /** Removes one from the count. */
  uncount(client: string): void {
    const window = this.windows.get(client);
    if (window) window.count -= 1;
  }

  remove(client: string): void {
    this.windows.delete(client);
  }

  /** The clients that are remembered. */
  get size(): number {
    return this.windows.size;
  }
}
