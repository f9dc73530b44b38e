import type { Clock } from '@proctor/clock';

/** What begins in one turn of the event loop: a few milliseconds of work. */
export const BEGUN_MAX = 20;
const BYTES_MAX = 256 * 1024;

/** A request that may be handled. */
export interface Work {
  /** Lower ranks go first. */
  rank: number;
  sender: string;
  bytes: number;
  begin(): void;
}

type Queues = Map<string, Work[]>;

/**
 * Begins requests a few at a time. One read of a socket brings thousands of messages; handled at once, they would hold the event
 * loop, and the message that makes nats-server stop sending them would leave this process after all of them. Of several senders
 * each has its turn.
 */
export class Turns {
  private readonly ranks = new Map<number, Queues>();
  private begun = 0;
  private bytes = 0;
  private cancel: (() => void) | null = null;

  constructor(private readonly clock: Clock) {}

  take(work: Work): void {
    if (this.hasRoom() && this.ranks.size === 0) return this.begin(work);
    const queues = this.ranks.get(work.rank) ?? new Map<string, Work[]>();
    this.ranks.set(work.rank, queues);
    const queue = queues.get(work.sender) ?? [];
    queues.set(work.sender, queue);
    queue.push(work);
  }

  /** Forgets what waits. */
  close(): void {
    this.cancel?.();
    this.cancel = null;
    this.ranks.clear();
  }

  private begin(work: Work): void {
    this.begun += 1;
    this.bytes += work.bytes;
    this.cancel ??= this.clock.after(0, () => this.next());
    work.begin();
  }

  private next(): void {
    this.cancel = null;
    [this.begun, this.bytes] = [0, 0];
    for (let work = this.first(); work; work = this.hasRoom() ? this.first() : undefined) this.begin(work);
  }

  private hasRoom(): boolean {
    return this.begun < BEGUN_MAX && this.bytes < BYTES_MAX;
  }

  /** Takes the first out; its sender's next one goes behind those of others. */
  private first(): Work | undefined {
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
