import type { Clock } from '@proctor/clock';
import { VERDICTS, type Lease, type Verdict } from '@proctor/contracts';
import { NotStarted, type AttemptResult, type AttemptRunner, type VerdictKeeper } from '../slot/ports';

/** An attempt of a public run that is being executed. */
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

/** Counts of ended attempts by verdict; `none`: cancelled or returned. */
export type Ends = Record<Verdict | 'none', number>;

/** Executes attempts by another runner, and records which are running and how they ended. */
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
      // The slot turns any other error into a tmpfail.
      if (!signal.aborted && !(error instanceof NotStarted)) end = 'tmpfail';
      throw error;
    } finally {
      this.counts[end] += 1;
      this.startedAt.delete(lease);
    }
  }

  /** How many are running. */
  get busy(): number {
    return this.startedAt.size;
  }

  /** The running attempts of public runs: every client of the worker's port may read them. */
  listPublic(): CurrentRun[] {
    const publicRuns = [...this.startedAt].filter(([{ isPrivate }]) => isPrivate === false);
    return publicRuns.map(([lease, startMs]) => {
      const { runId, attempt, suite, arch, backend, variant } = lease;
      const seconds = Math.round((this.clock.now() - startMs) / 1000);
      return { run: runId, attempt, package: lease.package, suite, arch, backend, variant, seconds };
    });
  }

  /** Counts since the process was started. */
  countEnds(): Ends {
    return { ...this.counts };
  }
}
