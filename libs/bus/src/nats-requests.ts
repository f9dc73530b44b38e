import type { Msg, NatsConnection, Subscription } from '@nats-io/transport-node';
import type { Clock } from '@proctor/clock';

/** Workers that are remembered because they have sent a request. */
const WORKERS_MAX = 10_000;

/**
 * Receives the requests of all workers on a subject like `proctor.rpc.amd64.*.lease` with one subscription. While a
 * worker is shunned it uses one subscription for each other worker instead: then nats-server drops the requests of the
 * shunned worker and answers it that nothing receives them. So a flood ends at the server, and not in this process.
 */
export class NatsRequests {
  private readonly shunned = new Map<string, () => void>();
  private readonly seenWorkers = new Set<string>();
  private all: Subscription | null;
  private readonly single = new Map<string, Subscription>();

  /** @param workers returns the workers that may send requests, in addition to those that have sent one */
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

  /** Receives nothing from this worker for a while; a worker that is shunned already stays so for its old time. */
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
    const singleWorkers =
      this.shunned.size === 0 ? [] : [...new Set([...this.workers(), ...this.seenWorkers])];
    for (const worker of singleWorkers)
      if (!this.shunned.has(worker) && !this.single.has(worker))
        this.single.set(worker, this.subscribe(this.subject.replace('*', worker)));
    // After the new subscriptions: a request in between arrives twice, and gets the same answer twice.
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

/** Requests that still arrive are handled: they may be of other workers. */
function drain(subscription: Subscription): void {
  subscription.drain().catch(() => subscription.unsubscribe());
}
