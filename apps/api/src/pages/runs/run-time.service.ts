import { Injectable } from '@nestjs/common';
import type { RunRecord } from '@proctor/database';
import type { LogSection } from '@proctor/result-files';
import { StoreUnavailable } from '@proctor/store';
import { RunLogs } from '../../logs/run-logs';
import { runTime, type TimeStep } from './run-time';
import { runTimeView } from './run-time-view';

/** Finds out where the seconds of runs went. */
@Injectable()
export class RunTimeService {
  constructor(private readonly logs: RunLogs) {}

  /** @param lastPass the run to compare it with; null without one. @returns null for a run that has not ended */
  async view(run: RunRecord, lastPass: RunRecord | null): Promise<ReturnType<typeof runTimeView>> {
    if (run.state !== 'finished' || run.attempt === 0) return null;
    const [steps, before] = await Promise.all([this.stepsOf(run), lastPass ? this.stepsOf(lastPass) : []]);
    return runTimeView(steps, before, run);
  }

  private async stepsOf(run: RunRecord): Promise<TimeStep[]> {
    const [attempts, sections] = await Promise.all([this.logs.attempts(run.runId), this.sectionsOf(run)]);
    const latest = attempts.find(({ attempt }) => attempt === run.attempt);
    return runTime({ ...run, grantedAt: latest?.grantedAt ?? null }, sections);
  }

  /** Empty when the log has no index, or the store cannot be read at the moment. */
  private async sectionsOf(run: RunRecord): Promise<LogSection[]> {
    try {
      return (await this.logs.findIndex(run))?.sections ?? [];
    } catch (error) {
      if (error instanceof StoreUnavailable) return [];
      throw error;
    }
  }
}
