/** Releases the amount; a second call does nothing. */
export type Release = () => void;

/**
 * A limited amount that requests share, such as bytes of memory. A request that does not fit waits a while, so that a
 * short rush is served late and not refused. Small amounts may pass large ones that wait; only very many of them
 * could delay a large one for long.
 */
export class Semaphore {
  private usedAmount = 0;
  private readonly waiting: { amount: number; enter: () => void }[] = [];

  /** @param size is called at each use, because it may change */
  constructor(private readonly size: () => number) {}

  /**
   * @param amount more than the whole size counts as all of it
   * @returns null if the amount did not come free in time
   */
  acquire(amount: number, waitMs: number): Promise<Release | null> {
    const need = Math.min(amount, this.size());
    if (this.fits(need)) return Promise.resolve(this.grant(need));
    return new Promise((resolve) => {
      const leave = (release: Release | null): void => {
        clearTimeout(timer);
        this.waiting.splice(this.waiting.indexOf(entry), 1);
        resolve(release);
      };
      const entry = { amount: need, enter: () => leave(this.grant(need)) };
      const timer = setTimeout(() => leave(null), waitMs);
      this.waiting.push(entry);
    });
  }

  private fits(amount: number): boolean {
    return this.usedAmount + amount <= this.size();
  }

  private grant(amount: number): Release {
    this.usedAmount += amount;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.usedAmount -= amount;
      this.admit();
    };
  }

  /** Admits waiting requests in their order; the first one that does not fit keeps its place. */
  private admit(): void {
    for (let next = this.waiting[0]; next && this.fits(next.amount); next = this.waiting[0]) next.enter();
  }
}
