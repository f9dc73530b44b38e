import type { Clock } from '@proctor/clock';
import { VERDICTS, type Lease, type Verdict } from '@proctor/contracts';
import { NotStarted, type AttemptResult, type AttemptRunner, type VerdictKeeper } from '../slot/ports';

/** An attempt of a public run that is executed now. */
export interface CurrentRun {
  run: number;
  attempt: number;
  package: string;
  suite: string;
  arch: string;
  backend: string;
  variant: string;
  seconds: number;
}

/** How attempts have ended: their verdicts, and `none` for those that were cancelled or went back. */
export type Ends = Record<Verdict | 'none', number>;

/** Executes attempts by another runner, and knows which ones are under way and how they ended. */
export class ObservedRuns implements AttemptRunner {
  private readonly startedAt = new Map<Lease, number>();
  private readonly counts = Object.fromEntries([...VERDICTS, 'none'].map((end) => [end, 0])) as Ends;

  constructor(
    private readonly runner: AttemptRunner,
    private readonly clock: Clock,
  ) {}

  async run(
    lease: Lease,
    started: () => void,
    signal: AbortSignal,
    keeper: VerdictKeeper,
  ): Promise<AttemptResult> {
    this.startedAt.set(lease, this.clock.now());
    let end: keyof Ends = 'none';
    try {
      const result = await this.runner.run(lease, started, signal, keeper);
      end = result.verdict;
      return result;
    } catch (error) {
      // Of any other error the slot makes a tmpfail.
      if (!signal.aborted && !(error instanceof NotStarted)) end = 'tmpfail';
      throw error;
    } finally {
      this.counts[end] += 1;
      this.startedAt.delete(lease);
    }
  }

  /** How many are under way. */
  get busy(): number {
    return this.startedAt.size;
  }

  /** The public ones: all that reach the worker's port are told of them. */
  listPublic(): CurrentRun[] {
    const publicRuns = [...this.startedAt].filter(([{ isPrivate }]) => isPrivate === false);
    return publicRuns.map(([lease, begun]) => {
      const { runId, attempt, suite, arch, backend, variant } = lease;
      const seconds = Math.round((this.clock.now() - begun) / 1000);
      return { run: runId, attempt, package: lease.package, suite, arch, backend, variant, seconds };
    });
  }

  /** Since the process was started. */
  countEnds(): Ends {
    return { ...this.counts };
  }
}
