import { Operation } from '../http/operation';
import { MonthResource, ResultResource, listOf, orNull, text, whole } from '@proctor/resources';
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
import { historyFilter, historyQuery, HistoryParameters, HistoryWantedPipe } from './history-filter';
import { monthObjects } from './month-object';
import { PACKAGE_PATH } from './package-path';
import { PublicAnswerInterceptor } from './public-answer';
import type { PublicAnswer } from './public-answer';
import { PublicCache } from './public-cache';
import { PublicRunsService } from './public-runs.service';
import type { PackagePlace } from './public-runs.service';
import { sendResultFile } from './result-file';
import { BEFORE_RUN } from '../http/path-ids';

/** A package's latest status and history, read from the database for each request. */
@Controller('data/packages/:suite/:arch/:prefix/:package')
@Requires('nothing')
export class PackageDataController {
  constructor(
    private readonly runs: PublicRunsService,
    private readonly store: ResultStore,
    private readonly cache: PublicCache,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  @Operation({
    tag: 'Public data',
    id: 'readLatest',
    summary: 'Latest result of a package',
    description: 'The newest finished run without pins and extra sources; null when there is none.',
    answer: { description: 'The result.', of: orNull(ResultResource) },
    path: PACKAGE_PATH,
    refusals: { 404: 'NotFound' },
  })
  @Get('latest.json')
  @UseInterceptors(PublicAnswerInterceptor)
  async latest(@Param() place: PackagePlace): Promise<PublicAnswer<ResultResource | null>> {
    const run = await this.runs.latest(place);
    return { content: run && this.result(run), updates: run ? [run.updatedAt] : [], maxAgeSeconds: 0 };
  }

  /** Oldest first. A long history has only its newest part, with a link to older runs. */
  @Operation({
    tag: 'Public data',
    id: 'readHistory',
    summary: 'Finished runs of a package',
    description:
      'The oldest first, the newest 500 (`api.historyLengthMax`). The header `Link` with `rel="prev"` leads to those before.',
    answer: { description: 'The results.', of: listOf(ResultResource) },
    query: {
      before: {
        of: whole({ minimum: 1 }),
        description: 'Only runs that come before this one; the header `Link` of an answer has it.',
      },
    },
    path: PACKAGE_PATH,
    refusals: { 404: 'NotFound' },
  })
  @Get('history.json')
  @UseInterceptors(PublicAnswerInterceptor)
  async history(
    @Param() place: PackagePlace,
    @Query(HistoryWantedPipe) query: HistoryParameters,
    @Query('before', BEFORE_RUN) before: number | null,
    @Req() request: Request,
  ): Promise<PublicAnswer<ResultResource[]>> {
    const isFiltered = historyQuery(query, null) !== '';
    const filter = isFiltered ? historyFilter(query, this.configuration.server.neutral) : undefined;
    const { runs, older } = await this.runs.history(place, before, filter);
    const url = (): string => baseUrl(request, this.configuration.server.publicUrl) + pathOf(request);
    return {
      content: runs.map((run) => this.result(run)).reverse(),
      updates: runs.map((run) => run.updatedAt),
      maxAgeSeconds: 0,
      headers: older === null ? {} : { Link: `<${url()}${historyQuery(query, older)}>; rel="prev"` },
    };
  }

  /** Oldest first. Removed runs are counted. */
  @Operation({
    tag: 'Public data',
    id: 'readMonths',
    summary: 'Finished runs of a package in each month',
    description:
      'The oldest first, by how the runs ended; cancelled ones are not counted, those that a rule of the deployment has removed since are.',
    answer: {
      description: 'The figures; a month without runs is absent.',
      of: listOf(MonthResource),
      example: [
        {
          month: '2026-11',
          pass: 28,
          neutral: 0,
          fail: 2,
          tmpfail: 1,
          total: 31,
          total_duration_seconds: 3720,
          average_duration_seconds: 120,
        },
      ],
    },
    path: PACKAGE_PATH,
    refusals: { 404: 'NotFound' },
  })
  @Get('months.json')
  @UseInterceptors(PublicAnswerInterceptor)
  async months(@Param() place: PackagePlace): Promise<PublicAnswer<MonthResource[]>> {
    const figures = await this.runs.months(place);
    return {
      content: monthObjects(figures),
      updates: figures.flatMap(({ updatedAt }) => updatedAt ?? []),
      maxAgeSeconds: 0,
    };
  }

  @Operation({
    tag: 'Public data',
    id: 'readLatestLog',
    summary: 'Log of the latest result',
    description:
      'As gzip bytes with `Content-Encoding: gzip`: `curl -o` saves a file that gunzip takes, a browser shows text. Ranges and lengths are of these bytes.',
    answer: { description: 'The log.', of: text(), type: 'text/plain' },
    path: PACKAGE_PATH,
    refusals: { 404: 'NotFound' },
  })
  @Get('latest-autopkgtest/log.gz')
  latestLog(@Param() place: PackagePlace, @Req() request: Request, @Res() response: Response): Promise<void> {
    return this.sendLatest(place, request, response, 'log.gz');
  }

  /** debci has a folder with both at this address. */
  @Operation({
    tag: 'Public data',
    id: 'readLatestArtifacts',
    summary: 'What the run of the latest result left, as an archive',
    answer: { description: 'The archive.', of: text(), type: 'application/gzip' },
    path: PACKAGE_PATH,
    refusals: { 404: 'NotFound' },
  })
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
