import { Injectable } from '@nestjs/common';
import { Results, type RunReader, type RunRecord } from '@proctor/database';
import { isOwn, maySee, type OwnedRun } from '../auth/run-reader';
import type { ExplanationViewer } from '../dispatchers/explanation.service';
import type { Problem } from '../http/problem';
import { MissingRuns } from './missing-runs';
import { noSuchRun } from '../http/path-ids';

/** Finds single runs for those who may know of them. */
@Injectable()
export class VisibleRuns {
  constructor(
    private readonly results: Results,
    private readonly missing: MissingRuns,
  ) {}

  /** @throws Problem 404 for a run that is not there, or that the reader may not know of; 410 for one that was removed */
  async one(runId: number, reader: RunReader): Promise<RunRecord> {
    const run = await this.results.find(runId);
    if (!run) throw await this.absence(runId, reader);
    if (!maySee(reader, run)) throw noSuchRun(runId);
    return run;
  }

  /** @returns the answer for a run that is no longer there: it may have been removed since it was found */
  absence(runId: number, reader: RunReader): Promise<Problem> {
    return this.missing.problem(runId, reader);
  }
}

/**
 * The reader that a run is explained to, who may know of it. By the API, another key of the same user gets
 * the same as the public.
 */
export function explainedTo(run: OwnedRun, reader: RunReader): ExplanationViewer {
  if (reader.everything) return { everything: true };
  return isOwn(reader, run) ? { user: run.requestor } : {};
}
