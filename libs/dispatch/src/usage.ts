import type { LeasedRun } from './leases';
import type { FairShareSettings } from './settings';

const NOTHING = { slotMs: 0, publicSlotMs: 0 };

/** Less slot time than this is forgotten. */
const WORTH_KEEPING_MS = 1_000;

/** Slot time, milliseconds. */
interface Used {
  /** The slot time of all leases. */
  slotMs: number;
  /** The slot time without private runs, which others do not see. */
  publicSlotMs: number;
}

type Span = Pick<LeasedRun, 'expectedMs' | 'grantedAtMs'>;

/** The slot time of one requestor on the architecture. */
export class UsageAccount {
  /** The number of leases that have not ended. */
  running = 0;
  /** The number of queues with waiting runs of the requestor. */
  queues = 0;
  private expectedMs = 0;
  /** The sum of the times at which the present leases were granted: from it follows their slot time together. */
  private grantedAtSumMs = 0;

  constructor(
    readonly requestor: string,
    /** The slot time of ended leases, decayed until `atMs`. */
    private used: Used,
    private atMs: number,
  ) {}

  start(expectedMs: number, grantedAtMs: number): void {
    this.running += 1;
    this.expectedMs += expectedMs;
    this.grantedAtSumMs += grantedAtMs;
  }

  /** Charges the real slot time of the lease; both numbers are those of its start. */
  end({ expectedMs, grantedAtMs, isPrivate }: EndedLease, halfLifeMs: number, now: number): void {
    this.settle(halfLifeMs, now);
    const tookMs = Math.max(0, now - grantedAtMs);
    this.used.slotMs += tookMs;
    if (!isPrivate) this.used.publicSlotMs += tookMs;
    this.running -= 1;
    const isIdle = this.running === 0;
    this.expectedMs = isIdle ? 0 : this.expectedMs - expectedMs;
    this.grantedAtSumMs = isIdle ? 0 : this.grantedAtSumMs - grantedAtMs;
  }

  settle(halfLifeMs: number, now: number): void {
    this.used = this.decayedUse(halfLifeMs, now);
    this.atMs = now;
  }

  /**
   * Leases count as soon as they are granted; otherwise free slots that request at the same moment would all go to
   * the same requestor.
   */
  slotMs(halfLifeMs: number, now: number): number {
    const elapsedMs = this.running * now - this.grantedAtSumMs;
    return this.decayedUse(halfLifeMs, now).slotMs + Math.max(this.expectedMs, elapsedMs);
  }

  /** The slot time without private runs. @param leased the present leases of public runs */
  publicSlotMs(leased: Span[], halfLifeMs: number, now: number): number {
    const sumOf = (numberOf: (lease: Span) => number) =>
      leased.reduce((sum, lease) => sum + numberOf(lease), 0);
    const expectedMs = sumOf((lease) => lease.expectedMs);
    const elapsedMs = sumOf((lease) => now - lease.grantedAtMs);
    return this.decayedUse(halfLifeMs, now).publicSlotMs + Math.max(expectedMs, elapsedMs);
  }

  /** The slot time of ended leases, decayed until now. */
  decayedUse(halfLifeMs: number, now: number): Used {
    const remainder = 2 ** ((this.atMs - now) / halfLifeMs);
    return { slotMs: this.used.slotMs * remainder, publicSlotMs: this.used.publicSlotMs * remainder };
  }
}

type EndedLease = Span & { isPrivate: boolean };

/** The recent slot time of a requestor. */
type Change = Used & { requestor: string };

/** The recent slot time of requestors: within a level of priority, the requestor who has used the least goes first. */
export class Usage {
  private readonly accounts = new Map<string, UsageAccount>();
  /** Requestors with a row. */
  private readonly booked = new Set<string>();
  /** Requestors whose accounts differ from the rows by more than decay. */
  private readonly requestors = new Set<string>();
  private sweptAtMs: number;

  /** @param settings returns the settings in use at the moment of the call */
  constructor(
    loaded: readonly Change[],
    private readonly now: number,
    private readonly settings: () => FairShareSettings,
  ) {
    this.sweptAtMs = now;
    for (const { requestor, ...used } of loaded) {
      this.booked.add(requestor);
      this.accounts.set(requestor, new UsageAccount(requestor, used, now));
    }
  }

  accountOf(requestor: string): UsageAccount {
    let account = this.accounts.get(requestor);
    if (!account)
      this.accounts.set(requestor, (account = new UsageAccount(requestor, { ...NOTHING }, this.now)));
    return account;
  }

  weightOf(requestor: string): number {
    return this.settings().weightOf(requestor);
  }

  /** Slot time divided by weight, milliseconds. */
  shareOf(account: UsageAccount, now: number): number {
    return account.slotMs(this.settings().halfLifeMs, now) / this.weightOf(account.requestor);
  }

  /** Slot time without private runs, divided by weight, milliseconds: the share that all users may see. */
  publicShareOf(account: UsageAccount, leased: Span[], now: number): number {
    return account.publicSlotMs(leased, this.settings().halfLifeMs, now) / this.weightOf(account.requestor);
  }

  end(requestor: string, lease: EndedLease, now: number): void {
    const { halfLifeMs } = this.settings();
    this.requestors.add(requestor);
    this.accountOf(requestor).end(lease, halfLifeMs, now);
  }

  /** To be called before the half-life changes: the earlier use has decayed by the old one. */
  settle(now: number): void {
    for (const account of this.accounts.values()) account.settle(this.settings().halfLifeMs, now);
    for (const requestor of this.booked) this.requestors.add(requestor);
  }

  /** The changes that are not yet in the rows; 0 for an account that no longer needs a row. */
  collectChanges(now: number): Change[] {
    const { halfLifeMs } = this.settings();
    const forgotten = now - this.sweptAtMs < halfLifeMs ? [] : this.sweep(now);
    const changes = [...this.requestors].map((requestor) => {
      this.booked.add(requestor);
      return { requestor, ...this.accountOf(requestor).decayedUse(halfLifeMs, now) };
    });
    this.requestors.clear();
    return [...changes, ...forgotten.map((requestor) => ({ requestor, ...NOTHING }))];
  }

  /** Removes requestors that have used almost nothing recently and have no runs; returns those that have a row. */
  private sweep(now: number): string[] {
    this.sweptAtMs = now;
    const { halfLifeMs } = this.settings();
    const booked: string[] = [];
    for (const [requestor, account] of this.accounts) {
      if (account.running > 0 || account.queues > 0) continue;
      if (account.decayedUse(halfLifeMs, now).slotMs >= WORTH_KEEPING_MS) continue;
      this.accounts.delete(requestor);
      this.requestors.delete(requestor);
      if (this.booked.delete(requestor)) booked.push(requestor);
    }
    return booked;
  }
}
