import type { Clock } from '@proctor/clock';

interface Timer {
  atMs: number;
  sequence: number;
  action: () => void;
}

/** Time that stands still until the simulation moves it to the next timer. */
export class VirtualClock implements Clock {
  private timeMs = 0;
  private sequence = 0;
  /** Kept sorted, the next one last. */
  private readonly timers: Timer[] = [];

  now(): number {
    return this.timeMs;
  }

  after(ms: number, action: () => void): () => void {
    const timer = { atMs: this.timeMs + Math.max(0, ms), sequence: ++this.sequence, action };
    this.timers.splice(this.placeOf(timer), 0, timer);
    return () => {
      const place = this.timers.indexOf(timer);
      if (place >= 0) this.timers.splice(place, 1);
    };
  }

  /** Lets everything happen that is due by `untilMs`, one timer after the other, or until `isOver` after one of them. */
  async runUntil(untilMs: number, isOver: () => boolean = () => false): Promise<void> {
    await quiet();
    while (!isOver() && this.runNext(untilMs)) await quiet();
    if (!isOver()) this.timeMs = untilMs;
  }

  /** `runUntil` where nothing waits for a promise: much faster. */
  runAllUntil(untilMs: number): void {
    while (this.runNext(untilMs));
    this.timeMs = untilMs;
  }

  /** False when nothing is due by then. */
  private runNext(untilMs: number): boolean {
    const next = this.timers.at(-1);
    if (!next || next.atMs > untilMs) return false;
    this.timers.pop();
    this.timeMs = next.atMs;
    next.action();
    return true;
  }

  private placeOf(timer: Timer): number {
    let low = 0;
    let high = this.timers.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isDueAfter(this.timers[middle] as Timer, timer)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Every promise that needs no timer is settled before the event loop turns. */
function quiet(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function isDueAfter(a: Timer, b: Timer): boolean {
  return a.atMs === b.atMs ? a.sequence > b.sequence : a.atMs > b.atMs;
}
