import { Controller, Get, Param } from '@nestjs/common';
import { Requires } from '../auth/authentication.middleware';
import { type ApiReader, CurrentReader } from '../auth/requestor';
import { Problem } from '../http/problem';
import { TriageService } from './triage.service';
import { VisibleRuns } from './visible-runs';
import { RUN_IN_PATH } from '../http/path-ids';

/** Why a run has failed, as far as is known. */
@Controller('api/v1/runs/:run_id/triage')
@Requires('key')
export class TriageController {
  constructor(
    private readonly runs: VisibleRuns,
    private readonly triages: TriageService,
  ) {}

  @Get()
  async one(@Param('run_id', RUN_IN_PATH) runId: number, @CurrentReader() reader: ApiReader) {
    const run = await this.runs.one(runId, reader.runs);
    const found = await this.triages.of(run);
    if (!found) throw new Problem(409, `Run ${runId} has not failed.`);
    const { kind, conclusion, step, evidence } = found;
    return { run_id: runId, kind, conclusion, step, evidence };
  }
}
