import type { Clock } from '@proctor/clock';
import type { BusLimits } from './limits';

interface Window {
  sinceMs: number;
  count: number;
}

/** Counts the reports of each worker that changed nothing. Of a worker that sends too many none is read for a while. */
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

  /** A report counted: a worker that works may at times report in vain, as a start that comes after its end. */
  forgive(worker: string): void {
    const window = this.windowOf(worker);
    if (window && window.count > 0) window.count--;
  }

  /** Until the worker's reports are read again: 0 when they are now. */
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
