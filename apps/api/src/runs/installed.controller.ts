import { Controller, Get, Param } from '@nestjs/common';
import { Requires } from '../auth/authentication.middleware';
import { type ApiReader, CurrentReader } from '../auth/requestor';
import { installedObject, InstalledPackages } from './installed-packages';
import { VisibleRuns } from './visible-runs';
import { RUN_IN_PATH } from '../http/path-ids';

/** The packages that a run had installed. */
@Controller('api/v1/runs/:run_id/packages')
@Requires('key')
export class InstalledController {
  constructor(
    private readonly runs: VisibleRuns,
    private readonly installed: InstalledPackages,
  ) {}

  @Get()
  async list(@Param('run_id', RUN_IN_PATH) runId: number, @CurrentReader() reader: ApiReader) {
    const run = await this.runs.one(runId, reader.runs);
    return installedObject(run, await this.installed.ofOne(run));
  }
}
