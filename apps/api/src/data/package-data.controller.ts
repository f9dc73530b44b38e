import { Controller, Get, Inject, Param, Req, Res } from '@nestjs/common';
import type { RunRecord } from '@proctor/database';
import { ResultStore } from '@proctor/store';
import type { Request, Response } from 'express';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { notFound } from '../http/problem';
import { resultObject } from '../results/result-object';
import type { ResultObject } from '../results/result-object';
import { PublicRunsService } from './public-runs.service';
import type { PackagePlace } from './public-runs.service';
import { sendResultFile } from './result-file';

/** A package's latest status and history, made from the database at each request. */
@Controller('data/packages/:suite/:arch/:prefix/:package')
export class PackageDataController {
  constructor(
    private readonly runs: PublicRunsService,
    private readonly store: ResultStore,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  @Get('latest.json')
  async latest(@Param() place: PackagePlace, @Res() response: Response): Promise<void> {
    const run = await this.runs.latest(place);
    this.send(response, run && this.result(run), run ? [run] : []);
  }

  @Get('history.json')
  async history(@Param() place: PackagePlace, @Res() response: Response): Promise<void> {
    const newestFirst = await this.runs.history(place);
    const results = newestFirst.map((run) => this.result(run)).reverse();
    this.send(response, results, newestFirst);
  }

  @Get('latest-autopkgtest/log.gz')
  async latestLog(
    @Param() place: PackagePlace,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const run = await this.runs.latest(place);
    if (!run) throw notFound(`${place.package} has no finished run on ${place.suite}/${place.arch}.`);
    await sendResultFile(request, response, this.store, run, 'log.gz');
  }

  private result(run: RunRecord): ResultObject {
    return resultObject(run, this.configuration.server.neutral);
  }

  private send(response: Response, content: ResultObject | ResultObject[] | null, runs: RunRecord[]): void {
    response.set('Cache-Control', 'public, no-cache');
    // Not the time of the newest run alone: an older one may have been published after it.
    const modified = Math.max(...runs.map((run) => run.updatedAt.getTime()));
    if (runs.length > 0) response.set('Last-Modified', new Date(modified).toUTCString());
    response.json(content);
  }
}
