import { Injectable } from '@nestjs/common';
import { type PackageStatus, PublicRuns, RunPages, type RunRecord, TriageRuns } from '@proctor/database';
import { StoreUnavailable } from '@proctor/store';
import type { ComparedPackages } from './comparison';
import { ComparisonService } from './comparison.service';
import { type Triage, triage } from './triage';
import { SAME_ERROR_MAX } from './triage-evidence';

/** Facts that an earlier query for the same answer has loaded. */
export interface KnownOfRun {
  /** The status of the package on all places. */
  statuses: PackageStatus[];
  lastPass: RunRecord | null;
  /** The changed packages between the last pass and this run; null if unknown. */
  changes: ComparedPackages | null;
}

/** Finds out why runs have failed, from public runs and the run itself. */
@Injectable()
export class TriageService {
  constructor(
    private readonly runs: TriageRuns,
    private readonly pages: RunPages,
    private readonly publicRuns: PublicRuns,
    private readonly comparisons: ComparisonService,
  ) {}

  /**
   * @param run the reader may see it
   * @param knownOfRun loaded if absent
   * @returns null for a run that has passed, was cancelled or has not ended
   */
  async of(run: RunRecord, knownOfRun?: KnownOfRun): Promise<Triage | null> {
    const hasPassed = run.verdict === 'pass' || run.verdict === 'neutral';
    if (run.state !== 'finished' || run.cancelled || hasPassed) return null;
    const [{ statuses, lastPass, changes }, reference, passOfVersion, later, { signature, withoutInitLine }] =
      await Promise.all([
        knownOfRun ?? this.loadEvidence(run),
        this.runs.reference(run),
        this.runs.passOfVersion(run),
        this.runs.later(run),
        this.runs.inLog(run.runId),
      ]);
    const isHere = ({ suite, arch }: { suite: string; arch: string }): boolean =>
      suite === run.suite && arch === run.arch;
    return triage({
      run,
      reference,
      passOfVersion,
      lastPass,
      changes,
      later,
      withoutInitLine,
      here: statuses.find(isHere) ?? null,
      elsewhere: statuses.filter((status) => !isHere(status)),
      sameError: signature === null ? [] : await this.runs.sameError(signature, run.package, SAME_ERROR_MAX),
    });
  }

  private async loadEvidence(run: RunRecord): Promise<KnownOfRun> {
    const [statuses, lastPass] = await Promise.all([
      this.publicRuns.packageStatuses([run.package]),
      this.pages.passBefore(run),
    ]);
    return { statuses, lastPass, changes: lastPass && (await this.changes(lastPass, run)) };
  }

  private async changes(before: RunRecord, run: RunRecord): Promise<ComparedPackages | null> {
    try {
      // The reader may see both runs: the earlier one is public.
      const { packages } = await this.comparisons.between(before, run);
      return packages;
    } catch (error) {
      if (error instanceof StoreUnavailable) return null;
      throw error;
    }
  }
}
