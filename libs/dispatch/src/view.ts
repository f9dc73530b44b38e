import type { Needs } from './ability';
import type { Bucket } from './bucket';
import type { DispatcherState } from './dispatcher-state';
import type { DispatchedRun, QueuePlace } from './journal-records';
import type { LeasedRun } from './leases';
import type { Line } from './lines';
import type { StandingDetails } from './standing-details';
import { type Lane, laneKey } from './suite-queue';
import { Tally } from './tally';
import type { UsageAccount } from './usage';
import type { KnownWorker } from './workers';

/** The user who reads the status. */
export interface StatusViewer {
  /** The name of the user, if they may know about their own private runs. */
  user?: string;
  /** An administrator, who may know about all private runs. */
  everything?: boolean;
}

/** Facts about runs that are not in memory, read to answer one question. */
export interface Beyond {
  /** When the question came, monotonic milliseconds: waiting times of runs beyond memory hold for this moment. */
  atMs: number;
  /** The last run of each line that goes beyond memory. */
  lasts: DispatchedRun[];
  /** The run in question, when it was not in memory and has not finished. */
  run: DispatchedRun | null;
}

/**
 * A dispatcher's memory as a viewer may see it: without private runs of others. Their part of slots, caps and fair
 * share is left out too, so a run that they delay "waits for its turn".
 */
export class View {
  /** Leases that have not ended. */
  private readonly leased: LeasedRun[];
  private readonly ofSuite = new Tally();
  private readonly byWorker = new Map<string, LeasedRun[]>();
  private uncounted = false;

  constructor(
    private readonly state: DispatcherState,
    private readonly viewer: StatusViewer,
    private readonly now: number,
    private readonly beyond?: Beyond,
  ) {
    this.leased = [...state.leases.all()].filter(({ run }) => this.sees(run));
    for (const leased of this.leased) {
      this.ofSuite.add(leased.run.suite);
      const others = this.byWorker.get(leased.lease.worker);
      if (others) others.push(leased);
      else this.byWorker.set(leased.lease.worker, [leased]);
    }
  }

  /** The moment for which waiting times of runs beyond memory hold. */
  get beyondAtMs(): number {
    return this.beyond?.atMs ?? this.now;
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

  /** Whether a needed count is not known yet. */
  get isUncounted(): boolean {
    return this.uncounted;
  }

  /** Lines that continue in the rows. */
  linesBeyond(): Line[] {
    return [...this.state.lines.beyond].filter(({ edge }) => edge && this.sees(edge));
  }

  /** How many runs of a line only the rows have; up to a place, if one is given. */
  countBeyond({ blocks }: Line, upTo: QueuePlace | null = null): number {
    const count = upTo ? blocks?.countUpTo(upTo) : blocks?.countAll();
    if (count === null) this.uncounted = true;
    return count ?? 0;
  }

  /** The known counts of runs that only the rows have, by suite. */
  publicBeyond(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const line of this.linesBeyond()) {
      if (!line.edge || (line.edge.isPrivate && !this.everything)) continue;
      const count = this.countBeyond(line);
      if (count > 0) counts.set(line.edge.suite, (counts.get(line.edge.suite) ?? 0) + count);
    }
    return counts;
  }

  /** The last run of each line that ends in the rows. */
  lastsBeyond(): DispatchedRun[] {
    return (this.beyond?.lasts ?? []).filter((run) => this.sees(run) && this.state.lines.isBeyond(run));
  }

  /** Lines in which a run waits. */
  lanesOf(suite: string): Lane[] {
    const lanes = [...(this.state.waiting.queues.of(suite)?.lanes() ?? [])];
    return lanes.filter((lane) => this.bucketsOf(lane).length > 0);
  }

  /** What the waiting runs of a suite need of slots, in memory or beyond; each once. */
  needsIn(suite: string): Needs[] {
    const beyond = this.linesBeyond().flatMap((line) =>
      line.needs.suite === suite && this.countBeyond(line) > 0 ? [line.needs] : [],
    );
    const needed = [...this.lanesOf(suite).map(({ needs }) => needs), ...beyond];
    return [...new Map(needed.map((needs) => [laneKey(needs), needs])).values()];
  }

  /** Leases of runs that `counts`. */
  leases(counts: (run: DispatchedRun) => boolean): LeasedRun[] {
    return this.leased.filter(({ run }) => counts(run));
  }

  leasesOf({ worker }: KnownWorker): LeasedRun[] {
    return this.byWorker.get(worker) ?? [];
  }

  /** The load and the disk of a machine show that private runs are executed there. */
  seesMachineOf({ worker }: KnownWorker): boolean {
    return this.everything || !this.state.registered.mayRunPrivate(worker);
  }

  runningIn(suite: string): number {
    return this.ofSuite.of(suite);
  }

  /** Slots of the worker that hold a lease. */
  busySlotsOf(knownWorker: KnownWorker): number {
    const leasedRuns = this.leasesOf(knownWorker).filter((leased) => this.state.leases.hasSlot(leased));
    return leasedRuns.filter(({ lease }) => knownWorker.slots.has(lease.slot)).length;
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
