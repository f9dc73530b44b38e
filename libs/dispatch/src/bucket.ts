import type { DispatchedRun } from './journal-records';
import { arrivedBefore } from './order';
import { SortedRuns } from './sorted-runs';
import type { UsageAccount } from './usage';

/**
 * The waiting runs of one lane, priority and requestor in order of arrival, so the head has the highest level. Private runs
 * have buckets of their own: they may be held back separately, and what is shown about public runs leaves them out. Runs of
 * a package that is held back, for example by its cap, are parked when they come to the head, so they do not
 * block the others.
 */
export class Bucket {
  private readonly runs = new SortedRuns();
  private readonly parked = new Map<string, SortedRuns>();
  private length = 0;

  constructor(
    readonly priority: number,
    readonly account: UsageAccount,
    readonly isPrivate: boolean,
  ) {}

  /** The number of runs. Parked runs count, here and in all methods below except `head`. */
  get size(): number {
    return this.length;
  }

  /** The oldest run that a slot may have, after parking those before it. */
  head(isHeldBack: (run: DispatchedRun) => boolean, onPark: (packageName: string) => void) {
    let head = this.runs.first();
    while (head && isHeldBack(head)) {
      this.runs.remove(head);
      this.parkedOf(head).add(head);
      onPark(head.package);
      head = this.runs.first();
    }
    return head;
  }

  add(run: DispatchedRun): void {
    const before = this.runs.size;
    this.runs.add(run);
    this.length += this.runs.size - before;
  }

  /** When a run leaves that was not parked, the oldest parked run of its package takes its place. */
  remove(run: DispatchedRun): boolean {
    const isRemoved = this.runs.remove(run);
    if (isRemoved) this.unpark(run.package, 1);
    else if (!this.removeParked(run)) return false;
    this.length -= 1;
    return true;
  }

  /** Brings the `count` oldest parked runs of a package back to their places. @returns whether others are still parked */
  unpark(packageName: string, count: number): boolean {
    for (let index = 0; index < count; index += 1) {
      const run = this.parked.get(packageName)?.first();
      if (!run) return false;
      this.removeParked(run);
      this.runs.add(run);
    }
    return this.parked.has(packageName);
  }

  last(): DispatchedRun | undefined {
    let last: DispatchedRun | undefined;
    for (const part of this.parts()) {
      const run = part.last();
      if (run && (!last || arrivedBefore(last, run))) last = run;
    }
    return last;
  }

  countBefore(run: DispatchedRun): number {
    let count = 0;
    for (const part of this.parts()) count += part.countBefore(run);
    return count;
  }

  /** How many runs at the beginning have a property that no later run has. */
  countWhile(holds: (run: DispatchedRun) => boolean): number {
    let count = 0;
    for (const part of this.parts()) count += part.countWhile(holds);
    return count;
  }

  private *parts(): Iterable<SortedRuns> {
    yield this.runs;
    yield* this.parked.values();
  }

  private parkedOf(run: DispatchedRun): SortedRuns {
    let parked = this.parked.get(run.package);
    if (!parked) this.parked.set(run.package, (parked = new SortedRuns()));
    return parked;
  }

  private removeParked(run: DispatchedRun): boolean {
    const parked = this.parked.get(run.package);
    const removed = parked?.remove(run) ?? false;
    if (parked?.size === 0) this.parked.delete(run.package);
    return removed;
  }
}
