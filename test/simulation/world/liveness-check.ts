import type { Clock } from '@proctor/clock';

/** An architecture has a dispatcher at work again this long after all that it needs is whole. */
const SERVED_WITHIN_MS = 30_000;
const LOOK_EVERY_MS = 5_000;

export interface LivenessParts {
  clock: Clock;
  architectures: string[];
  /** Names of all schedulers, dead ones too. */
  schedulers: () => string[];
  /** After a load that takes longer it is the scheduler that does not work. */
  loadTimeoutMs: number;
  /** The architecture has had no dispatcher at work for too long. */
  unserved: (arch: string, ms: number) => void;
}

/** Knows what is broken, and looks whether each architecture has a dispatcher at work as soon as nothing is. */
export class LivenessCheck {
  /** part → faults under way */
  private readonly under = new Map<string, number>();
  private readonly wholeSinceMs = new Map<string, number>();
  private readonly servedAtMs = new Map<string, number>();

  constructor(private readonly parts: LivenessParts) {}

  /** @param part `database`, or the name of a scheduler */
  broken(part: string): void {
    this.under.set(part, (this.under.get(part) ?? 0) + 1);
  }

  whole(part: string): void {
    this.under.set(part, (this.under.get(part) ?? 0) - 1);
    this.wholeSinceMs.set(part, this.parts.clock.now());
  }

  /** A load of the architecture takes so long, or until it is given up. */
  loadHangs(arch: string, ms: number): void {
    this.broken(loadOf(arch));
    this.parts.clock.after(Math.min(ms, this.parts.loadTimeoutMs), () => this.whole(loadOf(arch)));
  }

  /** A dispatcher has done what only one does that works. */
  served(arch: string): void {
    this.servedAtMs.set(arch, this.parts.clock.now());
  }

  watch(): void {
    const { clock, architectures, unserved } = this.parts;
    clock.after(LOOK_EVERY_MS, () => this.watch());
    for (const arch of architectures) {
      const unservedMs = clock.now() - Math.max(this.servedAtMs.get(arch) ?? 0, this.servableSinceMs(arch));
      if (unservedMs <= SERVED_WITHIN_MS) continue;
      unserved(arch, unservedMs);
      // At most once in this time.
      this.served(arch);
    }
  }

  /** Since when one scheduler at least, and all that it needs, have been whole. */
  private servableSinceMs(arch: string): number {
    const schedulers = this.parts.schedulers().map((name) => this.sinceMs(name));
    return Math.max(this.sinceMs('database'), this.sinceMs(loadOf(arch)), Math.min(...schedulers));
  }

  private sinceMs(part: string): number {
    return (this.under.get(part) ?? 0) > 0 ? Infinity : (this.wholeSinceMs.get(part) ?? 0);
  }
}

function loadOf(arch: string): string {
  return `load of ${arch}`;
}
