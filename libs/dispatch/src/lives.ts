import type { LeaseRequest, SlotIdentity } from '@proctor/contracts';
import type { GrantedLease } from './journal-records';

/** The life of a worker process that the dispatcher works with. Monotonic milliseconds of the dispatcher's clock. */
interface Life {
  incarnation: string;
  /** Earlier lives of the same worker, which have ended. */
  previous: readonly string[];
  lastMessageMs: number;
  /** Another life with the same name that sent a request meanwhile and was refused. */
  rival: { incarnation: string; lastMessageMs: number } | null;
}

/**
 * Decides which life of each worker gets work. Two living processes with one name would end each other's leases, so a
 * life is replaced only by one that names it as its predecessor, or after it was silent.
 */
export class Lives {
  private readonly byWorker = new Map<string, Life>();

  /** @param livesMax the maximum number of lives; the one that was silent longest is removed first */
  constructor(private readonly livesMax: number) {}

  /** A lease that existed when the dispatcher started. Call this in the order in which a worker's leases were granted. */
  grantedBefore({ worker, incarnation }: GrantedLease, now: number): void {
    this.set(worker, { incarnation, previous: [], lastMessageMs: now, rival: null });
  }

  /**
   * @param isAlive whether the life with the name counts as alive, from the time of its last message
   * @returns false for a process that must wait because another one has its name
   */
  admits(
    request: LeaseRequest,
    now: number,
    isAlive: (life: { incarnation: string; lastMessageMs: number }) => boolean,
  ): boolean {
    const { worker, incarnation, previous = [] } = request;
    const life = this.byWorker.get(worker);
    if (!life || life.incarnation === incarnation) {
      this.set(worker, { rival: null, ...life, incarnation, previous, lastMessageMs: now });
      return true;
    }
    // A late message of a predecessor.
    if (life.previous.includes(incarnation)) return false;
    if (previous.includes(life.incarnation) || !isAlive(life)) {
      this.set(worker, { incarnation, previous, lastMessageMs: now, rival: null });
      return true;
    }
    life.rival = { incarnation, lastMessageMs: now };
    return false;
  }

  /** A sign of life. */
  recordSignOfLife({ worker, incarnation }: SlotIdentity, now: number): void {
    const life = this.byWorker.get(worker);
    if (life?.incarnation === incarnation) this.set(worker, { ...life, lastMessageMs: now });
  }

  remove(worker: string): void {
    this.byWorker.delete(worker);
  }

  /** Whether another process was refused this worker's name since then. */
  hasRivalSince(worker: string, sinceMs: number): boolean {
    const lastMessageMs = this.byWorker.get(worker)?.rival?.lastMessageMs;
    return lastMessageMs !== undefined && lastMessageMs > sinceMs;
  }

  /** A Map keeps the order of insertion, so the first entry is the one silent the longest. */
  private set(worker: string, life: Life): void {
    this.byWorker.delete(worker);
    this.byWorker.set(worker, life);
    const [silent] = this.byWorker.keys();
    if (this.byWorker.size > this.livesMax && silent !== undefined) this.byWorker.delete(silent);
  }
}
