import type { Clock } from '@proctor/clock';

/** Requests that start in one turn of the event loop: a few milliseconds of work. */
export const STARTED_MAX = 20;
const BYTES_MAX = 256 * 1024;

/** A request that may be handled. */
export interface Work {
  /** Lower ranks go first. */
  rank: number;
  sender: string;
  bytes: number;
  start(): void;
}

type Queues = Map<string, Work[]>;

/**
 * Starts requests a few at a time. One read of a socket can bring thousands of messages. Handled at once, they would
 * hold the event loop, and the message that makes nats-server stop sending them would be sent after all of them.
 * Senders take turns.
 */
export class Turns {
  private readonly ranks = new Map<number, Queues>();
  private started = 0;
  private bytes = 0;
  private cancel: (() => void) | null = null;

  constructor(private readonly clock: Clock) {}

  add(work: Work): void {
    if (this.hasRoom() && this.ranks.size === 0) return this.start(work);
    const queues = this.ranks.get(work.rank) ?? new Map<string, Work[]>();
    this.ranks.set(work.rank, queues);
    const queue = queues.get(work.sender) ?? [];
    queues.set(work.sender, queue);
    queue.push(work);
  }

  /** Drops what waits. */
  close(): void {
    this.cancel?.();
    this.cancel = null;
    this.ranks.clear();
  }

  private start(work: Work): void {
    this.started += 1;
    this.bytes += work.bytes;
    this.cancel ??= this.clock.after(0, () => this.startNext());
    work.start();
  }

  private startNext(): void {
    this.cancel = null;
    [this.started, this.bytes] = [0, 0];
    for (let work = this.removeFirst(); work; work = this.hasRoom() ? this.removeFirst() : undefined)
      this.start(work);
  }

  private hasRoom(): boolean {
    return this.started < STARTED_MAX && this.bytes < BYTES_MAX;
  }

  /** Removes and returns the first; its sender's next one goes behind those of others. */
  private removeFirst(): Work | undefined {
    if (this.ranks.size === 0) return undefined;
    const rank = Math.min(...this.ranks.keys());
    const queues = this.ranks.get(rank)!;
    const [[sender, queue]] = queues as unknown as [[string, Work[]]];
    queues.delete(sender);
    const work = queue.shift()!;
    if (queue.length > 0) queues.set(sender, queue);
    if (queues.size === 0) this.ranks.delete(rank);
    return work;
  }
}
