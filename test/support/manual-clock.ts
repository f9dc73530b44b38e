import type { Clock } from '@proctor/clock';

/** Stands still until the test moves it. */
export class ManualClock implements Clock {
  private time = 0;
  private timers: { at: number; action: () => void }[] = [];

  now = (): number => this.time;

  after(ms: number, action: () => void): () => void {
    const timer = { at: this.time + ms, action };
    this.timers.push(timer);
    return () => (this.timers = this.timers.filter((other) => other !== timer));
  }

  /** Advances the time, and then calls everything that is due once. */
  advance(ms: number): void {
    this.time += ms;
    const due = this.timers.filter((timer) => timer.at <= this.time);
    this.timers = this.timers.filter((timer) => timer.at > this.time);
    due.forEach((timer) => timer.action());
  }

  /** Timers that have not ended. */
  get pending(): number {
    return this.timers.length;
  }
}
