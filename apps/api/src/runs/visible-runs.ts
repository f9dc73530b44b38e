import { Injectable } from '@nestjs/common';
import { Results, type RunReader, type RunRecord } from '@proctor/database';
import { isOwn, maySee, type OwnedRun } from '../auth/run-reader';
import type { ExplanationViewer } from '../dispatchers/explanation.service';
import type { Problem } from '../http/problem';
import { MissingRuns } from './missing-runs';
import { noSuchRun } from '../http/path-ids';

/** Finds single runs for readers who may know of them. */
@Injectable()
export class VisibleRuns {
  constructor(
    private readonly results: Results,
    private readonly missing: MissingRuns,
  ) {}

  /** @throws Problem 404 for an unknown run, or one that the reader may not know of; 410 for a removed run */
  async one(runId: number, reader: RunReader): Promise<RunRecord> {
    const run = await this.results.find(runId);
    if (!run) throw await this.absence(runId, reader);
    if (!maySee(reader, run)) throw noSuchRun(runId);
    return run;
  }

  /** @returns the answer for a run that no longer exists: it may have been removed after a search */
  absence(runId: number, reader: RunReader): Promise<Problem> {
    return this.missing.problem(runId, reader);
  }
}

/**
 * The viewer of an explanation, who may know of the run. In the API, another key of the same user gets the public
 * explanation.
 */
export function explainedTo(run: OwnedRun, reader: RunReader): ExplanationViewer {
  if (reader.everything) return { everything: true };
  return isOwn(reader, run) ? { user: run.requestor } : {};
}
