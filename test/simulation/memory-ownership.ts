import type { Ownership, OwnershipRegister } from '@proctor/dispatch';

export interface OwnerRow {
  epoch: number;
  owner: string | null;
  expiresAtMs: number;
  server: number;
}

/** Who owns what, and which schedulers live, in memory. */
export class MemoryOwnership implements OwnershipRegister {
  private owners = new Map<string, OwnerRow>();
  /** Until when each lives. */
  private schedulers = new Map<string, number>();
  /** Another one whenever the database was restored. */
  protected server = 1;

  /**
   * @param nowMs the database's own clock
   * @param random from 0 up to 1
   */
  constructor(
    private readonly nowMs: () => number,
    private readonly random: () => number,
  ) {}

  /** Sorted: those that were ever owned. */
  get architectures(): string[] {
    return [...this.owners.keys()].sort();
  }

  isOwnedUnder(arch: string, epoch: number): boolean {
    const held = this.owners.get(arch);
    return held?.epoch === epoch && this.isInForce(held);
  }

  /** @returns what brings the rows of now back */
  copy(): () => void {
    const { owners, schedulers } = structuredClone({ owners: this.owners, schedulers: this.schedulers });
    return () => Object.assign(this, { owners, schedulers, server: this.server + 1 });
  }

  async reportAlive(scheduler: string, ttlMs: number): Promise<string[]> {
    this.schedulers.set(scheduler, this.nowMs() + ttlMs);
    return Promise.resolve(this.living(ttlMs));
  }

  async claim(arch: string, scheduler: string, ttlMs: number): Promise<Ownership | null> {
    const held = this.owners.get(arch);
    const isAlive = held !== undefined && held.owner !== null && this.isInForce(held);
    if (isAlive && held.owner !== scheduler) return Promise.resolve(null);
    const epoch = isAlive ? held.epoch : this.epochAfter(held);
    const { server } = this;
    this.owners.set(arch, { epoch, owner: scheduler, expiresAtMs: this.nowMs() + ttlMs, server });
    return Promise.resolve({ arch, epoch });
  }

  async release(arch: string, scheduler: string): Promise<void> {
    const held = this.owners.get(arch);
    if (held?.owner === scheduler) held.owner = null;
    return Promise.resolve();
  }

  async stepAside(scheduler: string, ttlMs: number): Promise<string[]> {
    this.schedulers.delete(scheduler);
    return Promise.resolve(this.living(ttlMs));
  }

  async withdraw(scheduler: string): Promise<void> {
    this.schedulers.delete(scheduler);
    for (const held of this.owners.values()) if (held.owner === scheduler) held.owner = null;
    return Promise.resolve();
  }

  /** What lasts for much longer was written before the clock was set back, and is shortened. */
  private living(ttlMs: number): string[] {
    const now = this.nowMs();
    const atMost = (expiresAtMs: number) => (expiresAtMs > now + 2 * ttlMs ? now + ttlMs : expiresAtMs);
    for (const held of this.owners.values()) held.expiresAtMs = atMost(held.expiresAtMs);
    for (const [each, expiresAtMs] of this.schedulers) {
      if (expiresAtMs > now) this.schedulers.set(each, atMost(expiresAtMs));
      else this.schedulers.delete(each);
    }
    return [...this.schedulers.keys()].sort();
  }

  protected isInForce({ expiresAtMs, server }: OwnerRow): boolean {
    return expiresAtMs > this.nowMs() && server === this.server;
  }

  private epochAfter(held: OwnerRow | undefined): number {
    const higher = held ? held.epoch + 1 + Math.floor(this.random() * 1000) : 1;
    return Math.max(higher, Math.floor(this.nowMs()));
  }
}
