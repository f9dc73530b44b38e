import type { Msg, NatsConnection, Subscription } from '@nats-io/transport-node';
import type { Clock } from '@proctor/clock';

/** Workers that are remembered as those that have asked. */
const WORKERS_MAX = 10_000;

/**
 * Requests of all workers on subjects like `proctor.rpc.amd64.*.lease`: one subscription. While some worker is shunned there is one for
 * each other worker instead: nats-server then drops what the shunned one sends, and tells it that nobody listens. A flood so ends at the
 * server, and not in this process.
 */
export class NatsRequests {
  private readonly shunned = new Map<string, () => void>();
  private readonly seenWorkers = new Set<string>();
  private all: Subscription | null;
  private readonly single = new Map<string, Subscription>();

  /** @param workers those that may ask, besides those that have asked */
  constructor(
    private readonly nc: NatsConnection,
    private readonly subject: string,
    private readonly onMessage: (error: Error | null, message: Msg) => void,
    private readonly workers: () => readonly string[],
    private readonly clock: Clock,
  ) {
    this.all = this.subscribe(subject);
  }

  matches(subject: string): boolean {
    return this.subject === subject.replace(/^(proctor\.rpc\.[^.]+)\.[^.]+\./, '$1.*.');
  }

  /** Receives nothing of this worker for a while; one that is shunned already stays so for as long as it was. */
  shun(worker: string, forMs: number): void {
    if (this.shunned.has(worker)) return;
    this.shunned.set(
      worker,
      this.clock.after(forMs, () => {
        this.shunned.delete(worker);
        this.update();
      }),
    );
    this.update();
  }

  /** The workers may have changed. */
  update(): void {
    if (this.shunned.size === 0) this.all ??= this.subscribe(this.subject);
    const wanted = this.shunned.size === 0 ? [] : [...new Set([...this.workers(), ...this.seenWorkers])];
    for (const worker of wanted)
      if (!this.shunned.has(worker) && !this.single.has(worker))
        this.single.set(worker, this.subscribe(this.subject.replace('*', worker)));
    // Afterwards: what comes in between comes twice, and is answered alike.
    for (const [worker, subscription] of this.single) {
      if (this.shunned.size > 0 && !this.shunned.has(worker)) continue;
      drain(subscription);
      this.single.delete(worker);
    }
    if (this.shunned.size === 0) return;
    if (this.all) drain(this.all);
    this.all = null;
  }

  unsubscribe(): void {
    for (const cancel of this.shunned.values()) cancel();
    this.shunned.clear();
    for (const subscription of [this.all, ...this.single.values()]) subscription?.unsubscribe();
  }

  private subscribe(subject: string): Subscription {
    return this.nc.subscribe(subject, {
      callback: (error, message) => {
        const worker = error ? undefined : message.subject.split('.')[3];
        if (worker !== undefined && this.seenWorkers.size < WORKERS_MAX) this.seenWorkers.add(worker);
        this.onMessage(error, message);
      },
    });
  }
}

/** What is on its way until the server knows is taken: it may be of others. */
function drain(subscription: Subscription): void {
  subscription.drain().catch(() => subscription.unsubscribe());
}
