import type { ExpiringContent, ExpiringRun, SizedRuns } from '@proctor/database';

/** How many runs lost something by a rule, and how many bytes. */
export interface RemovedByRule {
  /** The result of `removedBy`. */
  rule: string;
  runs: number;
  bytes: number;
}

/** The counts of what one pass has removed, or would remove. */
export class ExpiryCounts {
  private readonly byRule = new Map<string, { runs: number; bytes: number }>();
  private readonly rehearsedRuns = { artifacts: new Set<number>(), logs: new Set<number>() };
  private readonly rehearsedBytes = new Map<string, number>();
  /** Runs whose facts and attempts were removed. */
  stories = 0;
  /** Runs whose rows were removed. */
  runs = 0;

  /** Sorted by the text of the rule. */
  get removedByRule(): RemovedByRule[] {
    return [...this.byRule]
      .map(([rule, counts]) => ({ rule, ...counts }))
      .sort((a, b) => (a.rule < b.rule ? -1 : 1));
  }

  recordLoss(run: ExpiringRun, logRule: string | null, artifactsRule: string | null): void {
    this.count(logRule, run.logSize);
    this.count(artifactsRule, run.artifactsSize);
  }

  /**
   * Counts what a run would lose; the rest of the pass works as if it had lost it. May be called more than once for a run.
   * @returns whether these were its last files
   */
  rehearseLoss(run: ExpiringRun, logRule: string | null, artifactsRule: string | null): boolean {
    const log = this.isRehearsed('logs', run.runId) ? null : logRule;
    const artifacts = this.isRehearsed('artifacts', run.runId) ? null : artifactsRule;
    this.recordLoss(run, log, artifacts);
    if (log !== null) this.rehearsedRuns.logs.add(run.runId);
    if (artifacts !== null) this.rehearsedRuns.artifacts.add(run.runId);
    const bytes =
      (log === null ? 0 : (run.logSize ?? 0)) + (artifacts === null ? 0 : (run.artifactsSize ?? 0));
    this.rehearsedBytes.set(keyOf(run), this.rehearsedOf(run) + bytes);
    const isGone = (content: ExpiringContent, size: number | null): boolean =>
      size === null || this.isRehearsed(content, run.runId);
    const isBare = isGone('logs', run.logSize) && isGone('artifacts', run.artifactsSize);
    return isBare && (log !== null || artifacts !== null);
  }

  isRehearsed(content: ExpiringContent, runId: number): boolean {
    return this.rehearsedRuns[content].has(runId);
  }

  rehearsedOf(sized: SizedRuns): number {
    return this.rehearsedBytes.get(keyOf(sized)) ?? 0;
  }

  story(runs: number): void {
    this.stories += runs;
  }

  run(runs: number): void {
    this.runs += runs;
  }

  private count(rule: string | null, bytes: number | null): void {
    if (rule === null || bytes === null) return;
    const before = this.byRule.get(rule) ?? { runs: 0, bytes: 0 };
    this.byRule.set(rule, { runs: before.runs + 1, bytes: before.bytes + bytes });
  }
}

function keyOf({ package: name, privateKeyId }: SizedRuns): string {
  return `${name} ${privateKeyId}`;
}
