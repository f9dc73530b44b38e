import type { DispatchedRun } from './journal';
import { arrivedBefore } from './order';
import { SortedRuns } from './sorted-runs';
import type { Account } from './usage';

/**
 * The waiting runs of one lane, priority and requestor in order of arrival, so the head has the highest level. Runs of a
 * package that is held back, as one with as many leases as it may have, are parked when they come to the head: they do
 * not block the others. Private runs of a package are parked on their own, since they may be held back on their own.
 */
export class Bucket {
  private readonly runs = new SortedRuns();
  private readonly parked = new Map<string, SortedRuns>();
  private length = 0;

  constructor(
    readonly priority: number,
    readonly account: Account,
  ) {}

  /** Parked runs are counted, here and in all that follows but `head`. */
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

  /** When one leaves that was not parked, the next of its package takes its place. */
  remove(run: DispatchedRun): boolean {
    const isRemoved = this.runs.remove(run);
    if (isRemoved) this.unpark(run.package, 1);
    else if (!this.removeParked(run)) return false;
    this.length -= 1;
    return true;
  }

  /**
   * Brings the oldest parked runs of a package back to their places, so many private and so many public ones; whether any
   * is parked still.
   */
  unpark(packageName: string, count: number): boolean {
    const [publicKey, privateKey] = parkingKeys(packageName);
    this.unparkAt(publicKey, count);
    this.unparkAt(privateKey, count);
    return this.parked.has(publicKey) || this.parked.has(privateKey);
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

  /** How many at the beginning have a property that the later ones have not. */
  countWhile(holds: (run: DispatchedRun) => boolean): number {
    let count = 0;
    for (const part of this.parts()) count += part.countWhile(holds);
    return count;
  }

  private *parts(): Iterable<SortedRuns> {
    yield this.runs;
    yield* this.parked.values();
  }

  private unparkAt(key: string, count: number): void {
    for (let index = 0; index < count; index += 1) {
      const run = this.parked.get(key)?.first();
      if (!run) return;
      this.removeParked(run);
      this.runs.add(run);
    }
  }

  private parkedOf(run: DispatchedRun): SortedRuns {
    const key = parkingKey(run);
    let parked = this.parked.get(key);
    if (!parked) this.parked.set(key, (parked = new SortedRuns()));
    return parked;
  }

  private removeParked(run: DispatchedRun): boolean {
    const key = parkingKey(run);
    const parked = this.parked.get(key);
    const removed = parked?.remove(run) ?? false;
    if (parked?.size === 0) this.parked.delete(key);
    return removed;
  }
}

function parkingKey({ package: name, isPrivate }: DispatchedRun): string {
  const [publicKey, privateKey] = parkingKeys(name);
  return isPrivate ? privateKey : publicKey;
}

/** Of the public and of the private runs of a package; a space cannot be part of its name. */
function parkingKeys(packageName: string): [string, string] {
  return [packageName, `${packageName} private`];
}
