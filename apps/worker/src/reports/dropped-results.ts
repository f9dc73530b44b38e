/**
 * Why a result was dropped: it came too late, the dispatcher refused it, it was the second of its attempt, or it was
 * not on disk when the worker stopped.
 */
const DROPS = ['stale', 'refused', 'second', 'unkept'] as const;

export type Drop = (typeof DROPS)[number];

/** How many results of this worker had no effect, since it was started. */
export class DroppedResults {
  private readonly counts = new Map<Drop, number>(DROPS.map((why) => [why, 0]));

  count(why: Drop): void {
    this.counts.set(why, (this.counts.get(why) ?? 0) + 1);
  }

  current(): Record<Drop, number> {
    return Object.fromEntries(this.counts) as Record<Drop, number>;
  }
}
