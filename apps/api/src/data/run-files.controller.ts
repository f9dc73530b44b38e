import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ResultStore } from '@proctor/store';
import type { Request, Response } from 'express';
import { PublicRunsService } from './public-runs.service';
import type { PackagePlace } from './public-runs.service';
import { sendResultFile } from './result-file';

type RunPlace = PackagePlace & { run_id: string };

/** What a run left behind. */
@Controller('data/autopkgtest/:suite/:arch/:prefix/:package/:run_id')
export class RunFilesController {
  constructor(
    private readonly runs: PublicRunsService,
    private readonly store: ResultStore,
  ) {}

  @Get('log.gz')
  async log(@Param() place: RunPlace, @Req() request: Request, @Res() response: Response): Promise<void> {
    const run = await this.runs.run(place, place.run_id);
    await sendResultFile(request, response, this.store, run, 'log.gz');
  }

  @Get('artifacts.tar.gz')
  async artifacts(
    @Param() place: RunPlace,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const run = await this.runs.run(place, place.run_id);
    await sendResultFile(request, response, this.store, run, 'artifacts.tar.gz');
  }
}
