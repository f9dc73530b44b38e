import type { Clock } from '@proctor/clock';
import { LRUCache } from 'lru-cache';

/** Clients whose counts one process remembers; of more, those that asked longest ago are forgotten. */
const CLIENTS_MAX = 100_000;

interface CountedWindow {
  count: number;
  endMs: number;
}

/** How often each client did something within a span of time, which begins with the first time. Bounded in memory. */
export class CountedWindows {
  // With `max` it would reserve its memory at once, and there are six of them.
  private readonly windows = new LRUCache<string, CountedWindow>({
    maxSize: CLIENTS_MAX,
    sizeCalculation: () => 1,
  });

  constructor(
    private readonly spanMs: number,
    private readonly clock: Clock,
  ) {}

  /**
   * Counts once more.
   * @returns 0 when that is within `countMax`, else the milliseconds until the client's span is over
   */
  add(client: string, countMax: number): number {
    const now = this.clock.now();
    let window = this.windows.get(client);
    if (!window || window.endMs <= now)
      this.windows.set(client, (window = { count: 0, endMs: now + this.spanMs }));
    window.count += 1;
    return window.count > countMax ? window.endMs - now : 0;
  }

  /** Takes one count back. */
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
