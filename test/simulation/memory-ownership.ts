import type { Ownership, OwnershipRegister } from '@proctor/dispatch';

interface OwnerRow {
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
  private server = 1;

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

  async announce(scheduler: string, ttlMs: number): Promise<string[]> {
    const now = this.nowMs();
    // What lasts for longer was written before the clock was set back.
    const atMost = (expiresAtMs: number) => (expiresAtMs > now + 2 * ttlMs ? now + ttlMs : expiresAtMs);
    for (const held of this.owners.values()) held.expiresAtMs = atMost(held.expiresAtMs);
    for (const [each, expiresAtMs] of this.schedulers.set(scheduler, now + ttlMs)) {
      if (expiresAtMs > now) this.schedulers.set(each, atMost(expiresAtMs));
      else this.schedulers.delete(each);
    }
    return Promise.resolve([...this.schedulers.keys()].sort());
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

  async stepAside(scheduler: string): Promise<string[]> {
    this.schedulers.delete(scheduler);
    const now = this.nowMs();
    const others = [...this.schedulers].filter(([, expiresAtMs]) => expiresAtMs > now);
    return Promise.resolve(others.map(([each]) => each).sort());
  }

  async withdraw(scheduler: string): Promise<void> {
    this.schedulers.delete(scheduler);
    for (const held of this.owners.values()) if (held.owner === scheduler) held.owner = null;
    return Promise.resolve();
  }

  private isInForce({ expiresAtMs, server }: OwnerRow): boolean {
    return expiresAtMs > this.nowMs() && server === this.server;
  }

  private epochAfter(held: OwnerRow | undefined): number {
    const higher = held ? held.epoch + 1 + Math.floor(this.random() * 1000) : 1;
    return Math.max(higher, Math.floor(this.nowMs()));
  }
}
