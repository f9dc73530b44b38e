import type { SlotIdentity } from '@proctor/contracts';
import { IndexedHeap } from './indexed-heap';
import type { DispatchedRun, GrantedLease } from './journal-records';
import { Tally } from './tally';

export interface LeasedRun {
  run: DispatchedRun;
  lease: GrantedLease;
  /** Monotonic milliseconds of the dispatcher's clock. */
  renewedAtMs: number;
  /** The time of the grant by the same clock; before the start of the dispatcher for leases that existed then. */
  grantedAtMs: number;
  /** How long the attempt was expected to take when the dispatcher first knew the lease. */
  expectedMs: number;
}

/** The leases that have not ended, by run, by slot, and in the order of their silence. */
export class Leases {
  private readonly byRenewal = new IndexedHeap<LeasedRun>((leased) => leased.run.runId, renewedBefore);
  private readonly bySlot = new Map<string, number>();
  /** When each run was granted here, also after its lease has ended. */
  private readonly grants = new WeakMap<DispatchedRun, number>();
  /** Number of leases of each package and of each suite. */
  readonly ofPackage = new Tally();
  readonly ofSuite = new Tally();

  add(run: DispatchedRun, lease: GrantedLease, expectedMs: number, now: number): LeasedRun {
    const leased = { run, lease, renewedAtMs: now, grantedAtMs: now - lease.heldMs, expectedMs };
    this.byRenewal.add(leased);
    this.grants.set(run, leased.grantedAtMs);
    this.bySlot.set(slotKey(lease), run.runId);
    this.ofPackage.add(run.package);
    this.ofSuite.add(run.suite);
    return leased;
  }

  all(): Iterable<LeasedRun> {
    return this.byRenewal;
  }

  /** The leases in the order of their grants. */
  byGrant(): LeasedRun[] {
    return [...this.byRenewal].sort((a, b) => a.grantedAtMs - b.grantedAtMs);
  }

  /** When the latest attempt of a run that was leased here was granted, by the dispatcher's clock. */
  latestGrantMs(run: DispatchedRun): number | undefined {
    return this.grants.get(run);
  }

  find(runId: number): LeasedRun | undefined {
    return this.byRenewal.find(runId);
  }

  /** The lease of a slot, also if it was granted to an earlier life of the worker process. */
  ofSlot(slot: SlotIdentity): LeasedRun | undefined {
    const runId = this.bySlot.get(slotKey(slot));
    return runId === undefined ? undefined : this.byRenewal.find(runId);
  }

  /** The slot no longer needs the lease, although it has not ended: the slot may have another one. */
  freeSlot(leased: LeasedRun): void {
    if (this.hasSlot(leased)) this.bySlot.delete(slotKey(leased.lease));
  }

  /** Whether its slot would be given this lease again. */
  hasSlot(leased: LeasedRun): boolean {
    return this.bySlot.get(slotKey(leased.lease)) === leased.run.runId;
  }

  renew(leased: LeasedRun, now: number): void {
    this.byRenewal.add({ ...leased, renewedAtMs: now });
  }

  remove(runId: number): LeasedRun | undefined {
    const leased = this.byRenewal.remove(runId);
    if (!leased) return undefined;
    this.freeSlot(leased);
    this.ofPackage.remove(leased.run.package);
    this.ofSuite.remove(leased.run.suite);
    return leased;
  }

  /** The lease that was silent longest, of those for which `counts` returns true; that is true for nearly all. */
  longestSilent(counts: (leased: LeasedRun) => boolean): LeasedRun | undefined {
    const head = this.byRenewal.head();
    if (!head || counts(head)) return head;
    let longest: LeasedRun | undefined;
    for (const leased of this.byRenewal)
      if (counts(leased) && (!longest || renewedBefore(leased, longest))) longest = leased;
    return longest;
  }

  /** Whether any slot of this life of the worker holds a lease. */
  areHeldBy(worker: string, incarnation: string): boolean {
    for (const { run, lease } of this.byRenewal) {
      if (lease.worker !== worker || lease.incarnation !== incarnation) continue;
      if (this.bySlot.get(slotKey(lease)) === run.runId) return true;
    }
    return false;
  }
}

export function isHeldBy(lease: GrantedLease, slot: SlotIdentity): boolean {
  return lease.worker === slot.worker && lease.incarnation === slot.incarnation && lease.slot === slot.slot;
}

function renewedBefore(a: LeasedRun, b: LeasedRun): boolean {
  return a.renewedAtMs === b.renewedAtMs ? a.run.runId < b.run.runId : a.renewedAtMs < b.renewedAtMs;
}

function slotKey(slot: { worker: string; slot: number }): string {
  return `${slot.worker} ${slot.slot}`;
}
