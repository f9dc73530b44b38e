import { Controller, Get, Inject, Param, Query, Req, Res } from '@nestjs/common';
import type { RunRecord } from '@proctor/database';
import { ResultStore } from '@proctor/store';
import type { Request, Response } from 'express';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { baseUrl } from '../http/base-url';
import { notFound } from '../http/problem';
import { pathOf } from '../http/paths';
import { resultObject } from '../results/result-object';
import type { ResultObject } from '../results/result-object';
import { PublicCache } from './public-cache';
import { PublicRunsService } from './public-runs.service';
import type { PackagePlace } from './public-runs.service';
import { sendResultFile } from './result-file';

/** A package's latest status and history, made from the database at each request. */
@Controller('data/packages/:suite/:arch/:prefix/:package')
export class PackageDataController {
  constructor(
    private readonly runs: PublicRunsService,
    private readonly store: ResultStore,
    private readonly cache: PublicCache,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  @Get('latest.json')
  async latest(@Param() place: PackagePlace, @Res() response: Response): Promise<void> {
    const run = await this.runs.latest(place);
    this.send(response, run && this.result(run), run ? [run] : []);
  }

  /** Oldest first. Of a long history the newest part, with a link to what is older. */
  @Get('history.json')
  async history(
    @Param() place: PackagePlace,
    @Query('before') before: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const { runs, older } = await this.runs.history(place, before);
    if (older !== null) {
      const url = `${baseUrl(request, this.configuration.server.publicUrl)}${pathOf(request)}?before=${older}`;
      response.set('Link', `<${url}>; rel="prev"`);
    }
    this.send(response, runs.map((run) => this.result(run)).reverse(), runs);
  }

  @Get('latest-autopkgtest/log.gz')
  async latestLog(
    @Param() place: PackagePlace,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const run = await this.runs.latest(place);
    if (!run) throw notFound(`${place.package} has no finished run on ${place.suite}/${place.arch}.`);
    const headers = this.cache.headers(request, [run.updatedAt], 0);
    await sendResultFile(request, response, this.store, run, 'log.gz', headers);
  }

  private result(run: RunRecord): ResultObject {
    return resultObject(run, this.configuration.server.neutral);
  }

  private send(response: Response, content: ResultObject | ResultObject[] | null, runs: RunRecord[]): void {
    this.cache.mark(
      response,
      runs.map((run) => run.updatedAt),
      0,
    );
    response.json(content);
  }
}
