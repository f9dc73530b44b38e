import { isSameGrant } from '@proctor/contracts';
import type { AttemptOfWorker } from './journal';
import type { LeasedRun, Leases } from './leases';

/** When leases expire, by the monotonic clock of the dispatcher. */
export class LeaseExpiry {
  /** No lease expires before a full time-to-live has passed since then. */
  reachableSinceMs: number;
  /**
   * Run → its grants whose finished reports waited when this owner started, and still wait: such a lease does not expire.
   * Null until that is known, and no lease expires before.
   */
  reportsWaiting: ReadonlyMap<number, AttemptOfWorker[]> | null = null;

  /** @param ttlMs returns the time-to-live in use at the moment of the call */
  constructor(
    private readonly leases: Pick<Leases, 'longestSilent'>,
    private readonly ttlMs: () => number,
    now: number,
  ) {
    this.reachableSinceMs = now;
  }

  /** The lease that expires next, and when; undefined when none can. */
  get next(): { leased: LeasedRun; atMs: number } | undefined {
    const { reportsWaiting } = this;
    if (!reportsWaiting) return undefined;
    const leased = this.leases.longestSilent(
      ({ run, lease }) =>
        !reportsWaiting
          .get(run.runId)
          ?.some((each) => each.worker === lease.worker && isSameGrant(each, run)),
    );
    return leased && { leased, atMs: this.expiryMs(leased) };
  }

  private expiryMs({ renewedAtMs }: LeasedRun): number {
    return Math.max(renewedAtMs, this.reachableSinceMs) + this.ttlMs();
  }
}
