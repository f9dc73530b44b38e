import type { Clock } from '@proctor/clock';
import type { BusLimits } from './limits';

interface Window {
  sinceMs: number;
  count: number;
}

/**
 * Counts the reports of each worker that changed nothing. The reports of a worker that sends too many of these are not
 * read for a while.
 */
export class VainReports {
  private readonly windows = new Map<string, Window>();

  constructor(
    private readonly limits: Pick<BusLimits, 'reportsInVainMax' | 'reportsInVainMs'>,
    private readonly clock: Clock,
  ) {}

  /** @returns true when this one is the last that is read for a while */
  count(worker: string): boolean {
    const window = this.windowOf(worker) ?? { sinceMs: this.clock.now(), count: 0 };
    window.count++;
    this.windows.set(worker, window);
    return window.count === this.limits.reportsInVainMax;
  }

  /**
   * A report had an effect, so it takes back one in vain: a good worker may at times send a report in vain, for example
   * a start that comes after its end.
   */
  forgive(worker: string): void {
    const window = this.windowOf(worker);
    if (window && window.count > 0) window.count--;
  }

  /** Time until the worker's reports are read again; 0: they are read now. */
  waitMs(worker: string): number {
    const window = this.windowOf(worker);
    if (!window || window.count < this.limits.reportsInVainMax) return 0;
    return window.sinceMs + this.limits.reportsInVainMs - this.clock.now();
  }

  private windowOf(worker: string): Window | undefined {
    const window = this.windows.get(worker);
    if (!window || this.clock.now() - window.sinceMs < this.limits.reportsInVainMs) return window;
    this.windows.delete(worker);
    return undefined;
  }
}
