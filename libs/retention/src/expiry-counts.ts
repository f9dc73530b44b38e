import type { ExpiringContent, ExpiringRun, SizedRuns } from '@proctor/database';

/** Of how many runs something was removed by a rule, and how much that had. */
export interface RemovedByRule {
  /** As `removedBy` writes it. */
  rule: string;
  runs: number;
  bytes: number;
}

/** What one pass has removed, or would have. */
export class ExpiryCounts {
  private readonly byRule = new Map<string, { runs: number; bytes: number }>();
  private readonly rehearsedRuns = { artifacts: new Set<number>(), logs: new Set<number>() };
  private readonly rehearsedBytes = new Map<string, number>();
  /** Runs whose facts and attempts went. */
  stories = 0;
  /** Runs whose rows went. */
  runs = 0;

  /** By rule, in the order of their words. */
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
   * It would be lost: what comes after counts as if it were. A run may be told of more than once.
   * @returns whether these were the last of its files
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
