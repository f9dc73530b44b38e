import type { FairShareSettings } from './settings';

/** The slot time of one requestor on the architecture. */
export class Account {
  /** Leases that are out. */
  running = 0;
  private expectedMs = 0;
  /** The sum of the times at which the leases that are out were granted: tells what they have taken together. */
  private grantedAtSumMs = 0;

  constructor(
    readonly requestor: string,
    /** Of leases that have ended, decayed until `atMs`. */
    private usedMs: number,
    private atMs: number,
  ) {}

  begin(expectedMs: number, grantedAtMs: number): void {
    this.running += 1;
    this.expectedMs += expectedMs;
    this.grantedAtSumMs += grantedAtMs;
  }

  /** What the lease really took is charged; both numbers are those that it began with. */
  end(expectedMs: number, grantedAtMs: number, halfLifeMs: number, now: number): void {
    this.settle(halfLifeMs, now);
    this.usedMs += Math.max(0, now - grantedAtMs);
    this.running -= 1;
    const isIdle = this.running === 0;
    this.expectedMs = isIdle ? 0 : this.expectedMs - expectedMs;
    this.grantedAtSumMs = isIdle ? 0 : this.grantedAtSumMs - grantedAtMs;
  }

  settle(halfLifeMs: number, now: number): void {
    this.usedMs = this.decayedMs(halfLifeMs, now);
    this.atMs = now;
  }

  /**
   * Leases that are out count as soon as they are granted, or free slots that ask at the same moment would all go to
   * the same requestor.
   */
  slotMs(halfLifeMs: number, now: number): number {
    const elapsedMs = this.running * now - this.grantedAtSumMs;
    return this.decayedMs(halfLifeMs, now) + Math.max(this.expectedMs, elapsedMs);
  }

  private decayedMs(halfLifeMs: number, now: number): number {
    return this.usedMs * 2 ** ((this.atMs - now) / halfLifeMs);
  }
}

/** Who has used how much slot time of late: inside a level of priority, who has used the least goes first. */
export class Usage {
  private readonly accounts = new Map<string, Account>();

  /** @param settings those that hold at the moment of the call */
  constructor(
    loaded: readonly { requestor: string; slotMs: number }[],
    private readonly now: number,
    private readonly settings: () => FairShareSettings,
  ) {
    for (const { requestor, slotMs } of loaded) {
      this.accounts.set(requestor, new Account(requestor, slotMs, now));
    }
  }

  accountOf(requestor: string): Account {
    let account = this.accounts.get(requestor);
    if (!account) this.accounts.set(requestor, (account = new Account(requestor, 0, this.now)));
    return account;
  }

  weightOf(requestor: string): number {
    return this.settings().weightOf(requestor);
  }

  /** Slot time divided by weight, milliseconds. */
  shareOf(account: Account, now: number): number {
    return account.slotMs(this.settings().halfLifeMs, now) / this.weightOf(account.requestor);
  }

  end(requestor: string, lease: { expectedMs: number; grantedAtMs: number }, now: number): void {
    const { halfLifeMs } = this.settings();
    this.accountOf(requestor).end(lease.expectedMs, lease.grantedAtMs, halfLifeMs, now);
  }

  /** To be called before the half-life changes: what was used until now has decayed by the old one. */
  settle(now: number): void {
    for (const account of this.accounts.values()) account.settle(this.settings().halfLifeMs, now);
  }
}
