import type { FailedAttempt } from './blame';
import type { DispatchedRun } from './journal-records';

/** The key of a suspect: private runs are suspected separately, otherwise a public page would reveal them. */
type Suspectable = Pick<DispatchedRun, 'package' | 'requestor' | 'isPrivate'>;

/** How many packages are in memory; the one with the oldest mark is removed first. */
const PACKAGES_MAX = 10_000;
/** A package that was not marked for this long is removed. */
const MEMORY_MS = 86_400_000;
/** Attempts of one package in memory. */
const ATTEMPTS_MAX = 100;

interface Suspected {
  package: string;
  /** How often an attempt failed on a worker that proved to be sound afterwards. */
  occasions: number;
  /** The latest of these attempts. */
  attempts: FailedAttempt[];
  markedMs: number;
}

/**
 * Packages whose attempts failed where others worked: the package breaks its testbed, not the machine. Any
 * result of the package clears it.
 */
export class Suspects {
  /** The package with the oldest mark comes first. */
  private readonly byKey = new Map<string, Suspected>();

  /** @param cleared called for a package that is no longer suspected */
  constructor(private readonly cleared: (packageName: string) => void) {}

  get isEmpty(): boolean {
    return this.byKey.size === 0;
  }

  occasionsOf(run: Suspectable): number {
    return this.byKey.get(suspectKey(run))?.occasions ?? 0;
  }

  has(run: Suspectable): boolean {
    return this.byKey.has(suspectKey(run));
  }

  /** @param run in its state during the failed attempt */
  mark(run: Suspectable & FailedAttempt, now: number): void {
    const key = suspectKey(run);
    const occasions = this.occasionsOf(run) + 1;
    const { runId, attempt, failedAtMs } = run;
    const before = this.byKey.get(key)?.attempts ?? [];
    const attempts = [...before, { runId, attempt, failedAtMs }].slice(-ATTEMPTS_MAX);
    this.byKey.delete(key);
    this.byKey.set(key, { package: run.package, occasions, attempts, markedMs: now });
    const [oldest] = this.byKey.keys();
    if (this.byKey.size > PACKAGES_MAX && oldest !== undefined) this.remove(oldest);
  }

  /**
   * Attempts failed on a worker that has proved sound since: their packages are suspected, unless they have had a
   * result since. The result of a private run is not used against packages of others.
   * @param by the run whose result has proved the worker sound
   */
  markFailed(
    failures: readonly (Suspectable & FailedAttempt & { hasResultSince: boolean })[],
    now: number,
    by?: Suspectable,
  ): void {
    for (const failure of failures) {
      const mayKnow = !by?.isPrivate || (failure.isPrivate && failure.requestor === by.requestor);
      if (!failure.hasResultSince && mayKnow) this.mark(failure, now);
    }
  }

  clear(run: Suspectable): void {
    this.remove(suspectKey(run));
  }

  /** Removes attempts that did not fail, or whose rows do not say so. */
  withdraw(isAmong: (attempt: FailedAttempt) => boolean): void {
    for (const [key, suspected] of this.byKey) {
      const attempts = suspected.attempts.filter((attempt) => !isAmong(attempt));
      suspected.occasions -= suspected.attempts.length - attempts.length;
      suspected.attempts = attempts;
      if (suspected.occasions === 0) this.remove(key);
    }
  }

  /** Adds the memory from before the rows were read again. */
  restore(past: Suspects): void {
    for (const [key, suspected] of past.byKey) this.byKey.set(key, suspected);
  }

  /** Removes old marks. */
  removeOld(now: number): void {
    for (const [key, { markedMs }] of this.byKey) {
      if (now - markedMs < MEMORY_MS) return;
      this.remove(key);
    }
  }

  private remove(key: string): void {
    const suspect = this.byKey.get(key);
    if (!suspect) return;
    this.byKey.delete(key);
    this.cleared(suspect.package);
  }
}

/** A space cannot be part of a package's name. */
export function suspectKey({ package: name, requestor, isPrivate }: Suspectable): string {
  return isPrivate ? `${name} ${requestor}` : name;
}

/** After a suspect, a worker gives other runs this many times the suspect's slot time. */
const OTHERS_SHARE = 3;

interface Turn {
  /** Runs of suspects that are leased to the worker. */
  out: Set<number>;
  /** Monotonic milliseconds of the dispatcher's clock. */
  dueMs: number;
}

/**
 * When a run of a suspect takes part again at a worker while other runs wait: one at a time, and then other runs get
 * three times as long. So suspects get at most a quarter of the time of one slot, and always get their turn.
 */
export class SuspectTurns {
  private readonly byWorker = new Map<string, Turn>();

  isDue(worker: string, now: number): boolean {
    const turn = this.byWorker.get(worker);
    return !turn || (turn.out.size === 0 && turn.dueMs <= now);
  }

  start(worker: string, runId: number): void {
    const turn = this.byWorker.get(worker) ?? { out: new Set(), dueMs: 0 };
    this.byWorker.set(worker, turn);
    turn.out.add(runId);
  }

  end(worker: string, runId: number, grantedAtMs: number, now: number): void {
    const turn = this.byWorker.get(worker);
    if (!turn?.out.delete(runId)) return;
    turn.dueMs = Math.max(turn.dueMs, now + OTHERS_SHARE * Math.max(0, now - grantedAtMs));
    this.removeDue(now);
  }

  /** Adds the memory from before the rows were read again. */
  restore(past: SuspectTurns, isLeasedTo: (worker: string, runId: number) => boolean): void {
    for (const [worker, { out, dueMs }] of past.byWorker)
      this.byWorker.set(worker, {
        out: new Set([...out].filter((runId) => isLeasedTo(worker, runId))),
        dueMs,
      });
  }

  /** A worker whose turn is due needs no entry. */
  private removeDue(now: number): void {
    for (const worker of this.byWorker.keys()) if (this.isDue(worker, now)) this.byWorker.delete(worker);
  }
}
