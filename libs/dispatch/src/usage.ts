import type { FairShareSettings } from './settings';

/** Less slot time than this decides nothing. */
const WORTH_KEEPING_MS = 1_000;

/** The slot time of one requestor on the architecture. */
export class Account {
  /** Leases that are out. */
  running = 0;
  /** Queues that hold waiting runs of the requestor. */
  queues = 0;
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

  /** Of leases that have ended. */
  decayedMs(halfLifeMs: number, now: number): number {
    return this.usedMs * 2 ** ((this.atMs - now) / halfLifeMs);
  }
}

/** Who has used how much slot time of late: inside a level of priority, who has used the least goes first. */
export class Usage {
  private readonly accounts = new Map<string, Account>();
  /** Accounts that the rows have. */
  private readonly booked = new Set<string>();
  /** Accounts that are not as the rows have them, but for what has decayed since. */
  private readonly changed = new Set<string>();
  private sweptAtMs: number;

  /** @param settings those that hold at the moment of the call */
  constructor(
    loaded: readonly { requestor: string; slotMs: number }[],
    private readonly now: number,
    private readonly settings: () => FairShareSettings,
  ) {
    this.sweptAtMs = now;
    for (const { requestor, slotMs } of loaded) {
      this.booked.add(requestor);
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
    this.changed.add(requestor);
    this.accountOf(requestor).end(lease.expectedMs, lease.grantedAtMs, halfLifeMs, now);
  }

  /** To be called before the half-life changes: what was used until now has decayed by the old one. */
  settle(now: number): void {
    for (const account of this.accounts.values()) account.settle(this.settings().halfLifeMs, now);
    for (const requestor of this.booked) this.changed.add(requestor);
  }

  /** What the rows do not have yet; 0 for an account of which nothing worth a row is left. */
  takeChanges(now: number): { requestor: string; slotMs: number }[] {
    const { halfLifeMs } = this.settings();
    const forgotten = now - this.sweptAtMs < halfLifeMs ? [] : this.sweep(now);
    const changes = [...this.changed].map((requestor) => {
      this.booked.add(requestor);
      return { requestor, slotMs: this.accountOf(requestor).decayedMs(halfLifeMs, now) };
    });
    this.changed.clear();
    return [...changes, ...forgotten.map((requestor) => ({ requestor, slotMs: 0 }))];
  }

  /** Forgets whoever has used next to nothing of late and wants nothing; answers those that the rows have. */
  private sweep(now: number): string[] {
    this.sweptAtMs = now;
    const { halfLifeMs } = this.settings();
    const booked: string[] = [];
    for (const [requestor, account] of this.accounts) {
      if (account.running > 0 || account.queues > 0) continue;
      if (account.decayedMs(halfLifeMs, now) >= WORTH_KEEPING_MS) continue;
      this.accounts.delete(requestor);
      this.changed.delete(requestor);
      if (this.booked.delete(requestor)) booked.push(requestor);
    }
    return booked;
  }
}
