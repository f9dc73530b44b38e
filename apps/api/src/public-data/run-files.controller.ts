import { text } from '@proctor/resources';
import { Operation } from '../http/operation';
import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import type { ResultContentName } from '@proctor/contracts';
import { ResultStore } from '@proctor/store';
import type { Response } from 'express';
import { Requires } from '../auth/authentication.middleware';
import { visitorOf } from '../auth/run-reader';
import { PACKAGE_PATH } from './package-path';
import { PublicRunsService } from './public-runs.service';
import type { PackagePlace } from './public-runs.service';
import { sendResultFile } from './result-file';
import type { ContextRequest } from '../http/request-context';

type RunPlace = PackagePlace & { run_id: string };

/** The files of a run: public, or of a private run for readers who may know of it. */
@Controller('data/autopkgtest/:suite/:arch/:prefix/:package/:run_id')
@Requires('nothing')
export class RunFilesController {
  constructor(
    private readonly runs: PublicRunsService,
    private readonly store: ResultStore,
  ) {}

  @Operation({
    tag: 'Public data',
    id: 'readLogFile',
    summary: 'Log of a run',
    description:
      'As gzip bytes with `Content-Encoding: gzip`: `curl -o` saves a file that gunzip takes, a browser shows text. Ranges and lengths are of these bytes.',
    answer: { description: 'The log.', of: text(), type: 'text/plain' },
    path: PACKAGE_PATH,
    refusals: { 404: 'NotFound', 410: 'Gone' },
  })
  @Get('log.gz')
  log(@Param() place: RunPlace, @Req() request: ContextRequest, @Res() response: Response): Promise<void> {
    return this.send(place, request, response, 'log.gz');
  }

  @Operation({
    tag: 'Public data',
    id: 'readArtifacts',
    summary: 'What a run left, as an archive',
    answer: { description: 'The archive.', of: text(), type: 'application/gzip' },
    path: PACKAGE_PATH,
    refusals: { 404: 'NotFound', 410: 'Gone' },
  })
  @Get('artifacts.tar.gz')
  artifacts(
    @Param() place: RunPlace,
    @Req() request: ContextRequest,
    @Res() response: Response,
  ): Promise<void> {
    return this.send(place, request, response, 'artifacts.tar.gz');
  }

  private async send(
    place: RunPlace,
    request: ContextRequest,
    response: Response,
    name: ResultContentName,
  ): Promise<void> {
    const run = await this.runs.run(place, place.run_id, visitorOf(request));
    await sendResultFile(request, response, this.store, run, name, {
      'Cache-Control': run.isPrivate ? 'private, no-store' : 'public, max-age=3600',
      // The files of a run never change.
      'Last-Modified': (run.finishedAt ?? run.updatedAt).toUTCString(),
    });
  }
}
