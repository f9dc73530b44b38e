import type { Needs } from './ability';
import { Bucket } from './bucket';
import type { DispatchedRun } from './journal-records';
import type { UsageAccount } from './usage';

/** The waiting runs of one suite that need the same of a slot, in buckets of one priority, requestor and privacy. */
export class Lane {
  private readonly byKey = new Map<string, Bucket>();
  private length = 0;

  constructor(readonly needs: Needs) {}

  get size(): number {
    return this.length;
  }

  buckets(): Iterable<Bucket> {
    return this.byKey.values();
  }

  add(run: DispatchedRun, accountOf: (requestor: string) => UsageAccount): void {
    const key = bucketKey(run);
    let bucket = this.byKey.get(key);
    if (!bucket) {
      this.byKey.set(key, (bucket = new Bucket(run.priority, accountOf(run.requestor), run.isPrivate)));
      bucket.account.queues += 1;
    }
    const before = bucket.size;
    bucket.add(run);
    this.length += bucket.size - before;
  }

  remove(run: DispatchedRun): boolean {
    const key = bucketKey(run);
    const bucket = this.byKey.get(key);
    const isRemoved = bucket?.remove(run) ?? false;
    if (isRemoved) this.length -= 1;
    if (bucket?.size === 0) {
      this.byKey.delete(key);
      bucket.account.queues -= 1;
    }
    return isRemoved;
  }
}

/** The waiting runs of one suite, in lanes. Lanes without runs are removed. */
export class SuiteQueue {
  private readonly byKey = new Map<string, Lane>();

  constructor(readonly suite: string) {}

  get isEmpty(): boolean {
    return this.byKey.size === 0;
  }

  lanes(): Iterable<Lane> {
    return this.byKey.values();
  }

  add(run: DispatchedRun, needs: Needs, accountOf: (requestor: string) => UsageAccount): void {
    const key = laneKey(needs);
    let lane = this.byKey.get(key);
    if (!lane) this.byKey.set(key, (lane = new Lane(needs)));
    lane.add(run, accountOf);
  }

  remove(run: DispatchedRun, needs: Needs): boolean {
    const key = laneKey(needs);
    const lane = this.byKey.get(key);
    const isRemoved = lane?.remove(run) ?? false;
    if (lane?.size === 0) this.byKey.delete(key);
    return isRemoved;
  }
}

/** The suite queues of an architecture. */
export class SuiteQueues {
  private readonly bySuite = new Map<string, SuiteQueue>();
  /** Package → buckets in which runs of it are parked. */
  private readonly parkedIn = new Map<string, Set<Bucket>>();

  /** Both functions must return the same for a run as long as it is in a queue. */
  constructor(
    private readonly needsOf: (run: DispatchedRun) => Needs,
    private readonly accountOf: (requestor: string) => UsageAccount,
  ) {}

  get isEmpty(): boolean {
    return this.bySuite.size === 0;
  }

  all(): Iterable<SuiteQueue> {
    return this.bySuite.values();
  }

  of(suite: string): SuiteQueue | undefined {
    return this.bySuite.get(suite);
  }

  *usedLanes(): Iterable<Lane> {
    for (const queue of this.bySuite.values()) yield* queue.lanes();
  }

  add(run: DispatchedRun): void {
    let queue = this.bySuite.get(run.suite);
    if (!queue) this.bySuite.set(run.suite, (queue = new SuiteQueue(run.suite)));
    queue.add(run, this.needsOf(run), this.accountOf);
  }

  remove(run: DispatchedRun): boolean {
    const queue = this.bySuite.get(run.suite);
    const isRemoved = queue?.remove(run, this.needsOf(run)) ?? false;
    if (queue?.isEmpty) this.bySuite.delete(run.suite);
    return isRemoved;
  }

  /** The oldest run of a bucket that is not held back; those before it are parked. */
  headOf(bucket: Bucket, isHeldBack: (run: DispatchedRun) => boolean): DispatchedRun | undefined {
    return bucket.head(isHeldBack, (packageName) => this.parkedAt(packageName).add(bucket));
  }

  /** One more lease of the package is possible: the oldest parked run of each bucket takes part again. */
  unparkOne(packageName: string): void {
    this.unpark(packageName, 1);
  }

  /** Only the caps hold this package back from now on. */
  unparkAllOf(packageName: string): void {
    this.unpark(packageName, Infinity);
  }

  /** The oldest parked run of each package, in each bucket, takes part again. */
  unparkOneOfEach(): void {
    for (const packageName of [...this.parkedIn.keys()]) this.unpark(packageName, 1);
  }

  /** Packages may have more leases than before. */
  unparkAll(): void {
    for (const packageName of [...this.parkedIn.keys()]) this.unpark(packageName, Infinity);
  }

  private unpark(packageName: string, count: number): void {
    const buckets = this.parkedIn.get(packageName);
    for (const bucket of buckets ?? []) if (!bucket.unpark(packageName, count)) buckets?.delete(bucket);
    if (buckets?.size === 0) this.parkedIn.delete(packageName);
  }

  private parkedAt(packageName: string): Set<Bucket> {
    let buckets = this.parkedIn.get(packageName);
    if (!buckets) this.parkedIn.set(packageName, (buckets = new Set()));
    return buckets;
  }
}

/** A space cannot be part of a name of a backend, variant, class or worker. */
export function laneKey({ backend, variant, sizeClass, isPrivate, avoided }: Needs): string {
  return `${backend} ${variant} ${sizeClass ?? ''} ${isPrivate} ${avoided.join(' ')}`;
}

function bucketKey({ priority, requestor, isPrivate }: DispatchedRun): string {
  return `${priority} ${requestor} ${isPrivate}`;
}
