import { Controller, Get, Param, Query, Req, Res, UseInterceptors } from '@nestjs/common';
import type { RunRecord, AttemptRecord } from '@proctor/database';
import type { Response } from 'express';
import { Requires } from '../../auth/authentication.middleware';
import { visitorOf } from '../../auth/run-reader';
import type { ContextRequest } from '../../http/request-context';
import { RunLogs } from '../../logs/run-logs';
import { sendMember } from '../../logs/send-member';
import { PublicRunsService, type PackagePlace } from '../../public-data/public-runs.service';
import { requireKept } from '../../runs/removed-files';
import { PageInterceptor, type Page } from '../layout/page';
import { LOG_QUERY, type LogPageQuery } from './log-query';
import { sizeText } from '@proctor/contracts';
import type { ArtifactsIndex } from '@proctor/result-files';
import { artifactsPath, logPath, runPath } from '../../runs/page-paths';
import { fileUrl } from '../../runs/result-object';
import { visible } from './line-html';

/** A file up to this size can also be read in the browser. */
const SHOWN_BYTES_MAX = 8 * 1024 * 1024;

/** The page of the artifacts of a run. @param archive null when there are none */
function artifactsView(
  run: RunRecord,
  { attempt }: AttemptRecord,
  number: number | null,
  archive: { index: ArtifactsIndex; size: number } | null,
) {
  const query = number === null ? '' : `attempt=${number}&`;
  const { members = [], membersTotal = 0 } = archive?.index ?? {};
  const isLatest = run.attempt === attempt;
  return {
    run,
    runUrl: runPath(run),
    logUrl: logPath(run),
    attempt,
    membersTotal,
    archiveUrl: isLatest ? fileUrl(run, 'artifacts.tar.gz') : null,
    archiveSize: archive && sizeText(archive.size),
    files: [...members].sort(byPath).map(({ path, size }) => {
      const url = `${artifactsPath(run)}${path.split('/').map(encodeURIComponent).join('/')}`;
      return {
        name: visible(path),
        size: sizeText(size),
        url: `${url}${query === '' ? '' : `?${query.slice(0, -1)}`}`,
        textUrl: size <= SHOWN_BYTES_MAX ? `${url}?${query}text=yes` : null,
      };
    }),
  };
}

function byPath(a: { path: string }, b: { path: string }): number {
  return a.path < b.path ? -1 : 1;
}

type RunPlace = PackagePlace & { run_id: string };

/** The artifacts of a run, as a list and as single files. */
@Controller('packages/:prefix/:package/:suite/:arch/:run_id/artifacts')
@Requires('nothing')
export class ArtifactsController {
  constructor(
    private readonly runs: PublicRunsService,
    private readonly logs: RunLogs,
  ) {}

  @Get()
  @UseInterceptors(PageInterceptor)
  async list(
    @Param() place: RunPlace,
    @Query(LOG_QUERY) { attempt: number }: LogPageQuery,
    @Req() request: ContextRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Page> {
    const run = await this.run(place, request);
    if (run.isPrivate) response.set('Cache-Control', 'private, no-store');
    const attempt = await this.logs.attempt(run.runId, number);
    const archive = await this.logs.artifacts(run, attempt);
    return { template: 'log/artifacts', data: artifactsView(run, attempt, number, archive) };
  }

  /** Sends one file, in a way that no browser opens it as a page of this server. */
  @Get('*path')
  async file(
    @Param() { path, ...place }: RunPlace & { path: string[] | string },
    @Query(LOG_QUERY) { attempt: number, text }: LogPageQuery,
    @Req() request: ContextRequest,
    @Res() response: Response,
  ): Promise<void> {
    const run = await this.run(place, request);
    const attempt = await this.logs.attempt(run.runId, number);
    const { archive, member } = await this.logs.artifact(run, attempt, [path].flat().join('/'));
    await sendMember(archive, member, text !== null, !run.isPrivate, response);
  }

  private async run({ run_id: runId, ...place }: RunPlace, request: ContextRequest): Promise<RunRecord> {
    const run = await this.runs.run(place, runId, visitorOf(request));
    requireKept(run, 'artifacts.tar.gz');
    return run;
  }
}
