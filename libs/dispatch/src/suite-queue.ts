import { IndexedHeap } from './indexed-heap';
import type { DispatchedRun } from './journal';
import { goesBefore } from './order';

/** Says whether a slot can execute runs of a suite on this backend with this variant. */
export type CanExecute = (suite: string, backend: string, variant: string) => boolean;

/** The waiting runs of one suite that need the same backend and variant, the best one first. */
export class Lane {
  private readonly waiting = new IndexedHeap<DispatchedRun>((run) => run.runId, goesBefore);

  constructor(
    readonly suite: string,
    readonly backend: string,
    readonly variant: string,
  ) {}

  get size(): number {
    return this.waiting.size;
  }

  head(): DispatchedRun | undefined {
    return this.waiting.head();
  }

  add(run: DispatchedRun): void {
    this.waiting.add(run);
  }

  remove(runId: number): boolean {
    return this.waiting.remove(runId) !== undefined;
  }

  countBefore(run: DispatchedRun): number {
    return this.waiting.countBefore(run);
  }
}

/** The waiting runs of one suite, in lanes. Lanes without runs are dropped, so there are only as many as in use. */
export class SuiteQueue {
  private readonly lanes = new Map<string, Lane>();

  constructor(readonly suite: string) {}

  get size(): number {
    let size = 0;
    for (const lane of this.lanes.values()) size += lane.size;
    return size;
  }

  usedLanes(): Iterable<Lane> {
    return this.lanes.values();
  }

  add(run: DispatchedRun): void {
    const key = laneKey(run);
    let lane = this.lanes.get(key);
    if (!lane) this.lanes.set(key, (lane = new Lane(run.suite, run.backend, run.variant)));
    lane.add(run);
  }

  remove(run: DispatchedRun): boolean {
    const key = laneKey(run);
    const lane = this.lanes.get(key);
    const removed = lane?.remove(run.runId) ?? false;
    if (lane?.size === 0) this.lanes.delete(key);
    return removed;
  }
}

/** The suite queues of an architecture. */
export class SuiteQueues {
  private readonly queues = new Map<string, SuiteQueue>();

  *usedLanes(): Iterable<Lane> {
    for (const queue of this.queues.values()) yield* queue.usedLanes();
  }

  add(run: DispatchedRun): void {
    let queue = this.queues.get(run.suite);
    if (!queue) this.queues.set(run.suite, (queue = new SuiteQueue(run.suite)));
    queue.add(run);
  }

  remove(run: DispatchedRun): boolean {
    const queue = this.queues.get(run.suite);
    const removed = queue?.remove(run) ?? false;
    if (queue?.size === 0) this.queues.delete(run.suite);
    return removed;
  }

  /** The best waiting run that the slot can execute. Looks at the head of each lane only. */
  best(canExecute: CanExecute): DispatchedRun | undefined {
    let best: DispatchedRun | undefined;
    for (const lane of this.usedLanes()) {
      if (!canExecute(lane.suite, lane.backend, lane.variant)) continue;
      const head = lane.head();
      if (head && (!best || goesBefore(head, best))) best = head;
    }
    return best;
  }

  /** How many waiting runs of the architecture go before `run`. */
  countBefore(run: DispatchedRun): number {
    let count = 0;
    for (const lane of this.usedLanes()) count += lane.countBefore(run);
    return count;
  }
}

/** A space cannot be part of a name of a backend or variant. */
function laneKey(run: DispatchedRun): string {
  return `${run.backend} ${run.variant}`;
}
