import type { Bucket } from './bucket';
import type { DispatcherState } from './dispatcher-state';
import type { DispatchedRun } from './journal';
import type { LeasedRun } from './leases';
import type { StandingDetails } from './standing-details';
import type { Lane } from './suite-queue';
import { Tally } from './tally';
import type { UsageAccount } from './usage';
import type { KnownWorker } from './workers';

/** Who asks. */
export interface Viewer {
  /** Their name, when they may know of their own private runs. */
  user?: string;
  /** An administrator, who may know of all private runs. */
  everything?: boolean;
}

/**
 * A dispatcher's memory as a viewer may know it: without private runs of others. What these take of slots, caps and fair
 * share is left out, too, so a run that they hold up "waits for its turn".
 */
export class View {
  /** Leases that are out. */
  private readonly leased: LeasedRun[];
  private readonly ofSuite = new Tally();
  private readonly byWorker = new Map<string, LeasedRun[]>();

  constructor(
    private readonly state: DispatcherState,
    private readonly viewer: Viewer,
  ) {
    this.leased = [...state.leases.all()].filter(({ run }) => this.sees(run));
    for (const leased of this.leased) {
      this.ofSuite.add(leased.run.suite);
      const others = this.byWorker.get(leased.lease.worker);
      if (others) others.push(leased);
      else this.byWorker.set(leased.lease.worker, [leased]);
    }
  }

  get everything(): boolean {
    return this.viewer.everything === true;
  }

  sees({ isPrivate, requestor }: Pick<DispatchedRun, 'isPrivate' | 'requestor'>): boolean {
    return !isPrivate || this.seesAllOf(requestor);
  }

  bucketsOf(lane: Lane): Bucket[] {
    return [...lane.buckets()].filter(({ isPrivate, account: { requestor } }) =>
      this.sees({ isPrivate, requestor }),
    );
  }

  /** Those that a run waits in. */
  lanesOf(suite: string): Lane[] {
    const lanes = [...(this.state.waiting.queues.of(suite)?.lanes() ?? [])];
    return lanes.filter((lane) => this.bucketsOf(lane).length > 0);
  }

  /** Leases of runs that `counts`. */
  leases(counts: (run: DispatchedRun) => boolean): LeasedRun[] {
    return this.leased.filter(({ run }) => counts(run));
  }

  leasesOf({ worker }: KnownWorker): LeasedRun[] {
    return this.byWorker.get(worker) ?? [];
  }

  runningIn(suite: string): number {
    return this.ofSuite.of(suite);
  }

  /** Slots of the worker that hold a lease. */
  busySlotsOf(known: KnownWorker): number {
    const held = this.leasesOf(known).filter((leased) => this.state.leases.hasSlot(leased));
    return held.filter(({ lease }) => known.slots.has(lease.slot)).length;
  }

  /** Slot time divided by weight, milliseconds. */
  shareOf(account: UsageAccount, now: number): number {
    const { usage } = this.state;
    if (this.seesAllOf(account.requestor)) return usage.shareOf(account, now);
    return usage.publicShareOf(
      account,
      this.leases(({ requestor }) => requestor === account.requestor),
      now,
    );
  }

  /** Why a worker is not sound, for people. */
  reasonOf({ reason, publicReason }: StandingDetails): string {
    return this.everything ? reason : publicReason;
  }

  private seesAllOf(requestor: string): boolean {
    return this.everything || this.viewer.user === requestor;
  }
}
