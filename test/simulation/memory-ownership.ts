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
    const row = this.owners.get(arch);
    return row?.epoch === epoch && this.isInForce(row);
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
    const row = this.owners.get(arch);
    const isAlive = row !== undefined && row.owner !== null && this.isInForce(row);
    if (isAlive && row.owner !== scheduler) return Promise.resolve(null);
    const epoch = isAlive ? row.epoch : this.epochAfter(row);
    const { server } = this;
    this.owners.set(arch, { epoch, owner: scheduler, expiresAtMs: this.nowMs() + ttlMs, server });
    return Promise.resolve({ arch, epoch });
  }

  async release(arch: string, scheduler: string): Promise<void> {
    const row = this.owners.get(arch);
    if (row?.owner === scheduler) row.owner = null;
    return Promise.resolve();
  }

  async stepAside(scheduler: string, ttlMs: number): Promise<string[]> {
    this.schedulers.delete(scheduler);
    return Promise.resolve(this.living(ttlMs));
  }

  async withdraw(scheduler: string): Promise<void> {
    this.schedulers.delete(scheduler);
    for (const row of this.owners.values()) if (row.owner === scheduler) row.owner = null;
    return Promise.resolve();
  }

  /** What lasts for much longer was written before the clock was set back, and is shortened. */
  private living(ttlMs: number): string[] {
    const now = this.nowMs();
    const atMost = (expiresAtMs: number) => (expiresAtMs > now + 2 * ttlMs ? now + ttlMs : expiresAtMs);
    for (const row of this.owners.values()) row.expiresAtMs = atMost(row.expiresAtMs);
    for (const [each, expiresAtMs] of this.schedulers) {
      if (expiresAtMs > now) this.schedulers.set(each, atMost(expiresAtMs));
      else this.schedulers.delete(each);
    }
    return [...this.schedulers.keys()].sort();
  }

  protected isInForce({ expiresAtMs, server }: OwnerRow): boolean {
    return expiresAtMs > this.nowMs() && server === this.server;
  }

  private epochAfter(row: OwnerRow | undefined): number {
    const higher = row ? row.epoch + 1 + Math.floor(this.random() * 1000) : 1;
    return Math.max(higher, Math.floor(this.nowMs()));
  }
}
