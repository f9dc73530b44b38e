import type { Drain, Restrictions } from './journal-records';

/** The deadlines when drained workers must hand back their running tests, by the monotonic clock of the dispatcher. */
export class DrainDeadlines {
  private byDrain: { drain: Drain; atMs: number }[];

  constructor({ drains }: Restrictions, now: number) {
    this.byDrain = drains
      .flatMap((drain) => (typeof drain.leftMs === 'number' ? [{ drain, atMs: now + drain.leftMs }] : []))
      .sort((one, other) => one.atMs - other.atMs);
  }

  get nextMs(): number | undefined {
    return this.byDrain[0]?.atMs;
  }

  /** Removes and returns the drains whose deadline is over. */
  removeDue(now: number): Drain[] {
    const due = this.byDrain.filter(({ atMs }) => atMs <= now);
    this.byDrain = this.byDrain.slice(due.length);
    return due.map(({ drain }) => drain);
  }
}
