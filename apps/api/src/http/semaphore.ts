/** Gives the room back; a second call does nothing. */
export type Release = () => void;

/**
 * A bounded amount of something that requests share, as bytes of memory. A request that does not fit waits a while: a short
 * rush is served late instead of refused. Small takings pass waiting large ones, which only very many small ones could
 * hold up.
 */
export class Semaphore {
  private usedAmount = 0;
  private readonly waiting: { amount: number; enter: () => void }[] = [];

  /** @param size read at each use, so that it may change */
  constructor(private readonly size: () => number) {}

  /**
   * @param amount more than there is counts as all
   * @returns null when there was no room until the time was over
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

  /** In the order in which they came; the first that does not fit yet keeps its place. */
  private admit(): void {
    for (let next = this.waiting[0]; next && this.fits(next.amount); next = this.waiting[0]) next.enter();
  }
}
