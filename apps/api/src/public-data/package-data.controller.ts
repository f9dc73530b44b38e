import type { ResultResource } from '@proctor/resources';
import { Controller, Get, Inject, Param, Query, Req, Res, UseInterceptors } from '@nestjs/common';
import type { ResultContentName } from '@proctor/contracts';
import type { RunRecord } from '@proctor/database';
import { ResultStore } from '@proctor/store';
import type { Request, Response } from 'express';
import { Requires } from '../auth/authentication.middleware';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { baseUrl, pathOf } from '../http/paths';
import { notFound } from '../http/problem';
import { resultObject } from '../runs/result-object';
import { historyFilter, historyQuery, HistoryWantedPipe } from './history-filter';
import type { HistoryWanted } from './history-filter';
import { monthObjects } from './month-object';
import { PublicAnswerInterceptor } from './public-answer';
import type { PublicAnswer } from './public-answer';
import { PublicCache } from './public-cache';
import { PublicRunsService } from './public-runs.service';
import type { PackagePlace } from './public-runs.service';
import { sendResultFile } from './result-file';
import { BEFORE_RUN } from '../http/path-ids';

/** A package's latest status and history, made from the database at each request. */
@Controller('data/packages/:suite/:arch/:prefix/:package')
@Requires('nothing')
export class PackageDataController {
  constructor(
    private readonly runs: PublicRunsService,
    private readonly store: ResultStore,
    private readonly cache: PublicCache,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  @Get('latest.json')
  @UseInterceptors(PublicAnswerInterceptor)
  async latest(@Param() place: PackagePlace): Promise<PublicAnswer> {
    const run = await this.runs.latest(place);
    return { content: run && this.result(run), updates: run ? [run.updatedAt] : [], maxAgeSeconds: 0 };
  }

  /** Oldest first. Of a long history the newest part, with a link to what is older. */
  @Get('history.json')
  @UseInterceptors(PublicAnswerInterceptor)
  async history(
    @Param() place: PackagePlace,
    @Query(HistoryWantedPipe) wanted: HistoryWanted,
    @Query('before', BEFORE_RUN) before: number | null,
    @Req() request: Request,
  ): Promise<PublicAnswer> {
    const isFiltered = historyQuery(wanted, null) !== '';
    const filter = isFiltered ? historyFilter(wanted, this.configuration.server.neutral) : undefined;
    const { runs, older } = await this.runs.history(place, before, filter);
    const url = (): string => baseUrl(request, this.configuration.server.publicUrl) + pathOf(request);
    return {
      content: runs.map((run) => this.result(run)).reverse(),
      updates: runs.map((run) => run.updatedAt),
      maxAgeSeconds: 0,
      headers: older === null ? {} : { Link: `<${url()}${historyQuery(wanted, older)}>; rel="prev"` },
    };
  }

  /** Oldest first. Runs that were removed since are counted. */
  @Get('months.json')
  @UseInterceptors(PublicAnswerInterceptor)
  async months(@Param() place: PackagePlace): Promise<PublicAnswer> {
    const figures = await this.runs.months(place);
    return {
      content: monthObjects(figures),
      updates: figures.flatMap(({ updatedAt }) => updatedAt ?? []),
      maxAgeSeconds: 0,
    };
  }

  @Get('latest-autopkgtest/log.gz')
  latestLog(@Param() place: PackagePlace, @Req() request: Request, @Res() response: Response): Promise<void> {
    return this.sendLatest(place, request, response, 'log.gz');
  }

  /** debci's address is a folder with both. */
  @Get('latest-autopkgtest/artifacts.tar.gz')
  latestArtifacts(
    @Param() place: PackagePlace,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.sendLatest(place, request, response, 'artifacts.tar.gz');
  }

  private async sendLatest(
    place: PackagePlace,
    request: Request,
    response: Response,
    name: ResultContentName,
  ): Promise<void> {
    const run = await this.runs.latest(place);
    if (!run) throw notFound(`${place.package} has no finished run on ${place.suite}/${place.arch}.`);
    const headers = this.cache.headers(request, [run.updatedAt], 0);
    await sendResultFile(request, response, this.store, run, name, headers);
  }

  private result(run: RunRecord): ResultResource {
    return resultObject(run, this.configuration.server.neutral);
  }
}
