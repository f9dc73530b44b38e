import { Controller, Get, Inject, Param, Query, Req, Res, UseInterceptors } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Requires } from '../../auth/authentication.middleware';
import { CONFIGURATION } from '../../configuration.token';
import type { ApiConfiguration } from '../../configuration.token';
import { baseUrl } from '../../http/paths';
import type { PackagePlace } from '../../public-data/public-runs.service';
import { runPath } from '../../runs/page-paths';
import { fileUrl } from '../../runs/result-object';
import { VisibleRuns } from '../../runs/visible-runs';
import { CurrentViewer, type Viewer } from '../../sessions/viewer';
import { PageInterceptor } from '../layout/page';
import type { Page, Redirect } from '../layout/page';
import { RunTriage } from './run-triage.service';
import { RunPageService } from './run-page.service';
import { RunTimeService } from './run-time.service';
import { TESTS_QUERY, type TestsQuery } from './tests-view';
import { RUN_IN_PATH, noSuchRun } from '../../http/path-ids';

/** The page of a run. */
@Controller()
@Requires('nothing')
@UseInterceptors(PageInterceptor)
export class RunsController {
  constructor(
    private readonly runs: VisibleRuns,
    private readonly page: RunPageService,
    private readonly triage: RunTriage,
    private readonly time: RunTimeService,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  /** Redirects from the short address of a run to its page. */
  @Get('runs/:run_id')
  async short(
    @Param('run_id', RUN_IN_PATH) runId: number,
    @CurrentViewer() viewer: Viewer,
  ): Promise<Redirect> {
    return { redirectTo: runPath(await this.runs.one(runId, viewer.reader)) };
  }

  @Get('packages/:prefix/:package/:suite/:arch/:run_id')
  async run(
    @Param() place: PackagePlace & { run_id: string },
    @CurrentViewer() viewer: Viewer,
    @Query(TESTS_QUERY) query: TestsQuery,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Page | Redirect> {
    const run = await this.runs.one(RUN_IN_PATH.transform(place.run_id), viewer.reader);
    const path = `/packages/${place.prefix}/${place.package}/${place.suite}/${place.arch}/${run.runId}/`;
    if (path !== runPath(run)) throw noSuchRun(run.runId);
    if (run.isPrivate) response.set('Cache-Control', 'private, no-store');
    response.vary('Accept');
    const log = fileUrl(run, 'log.gz');
    // At this address debci has the log, and programs request it as text.
    if (log !== null && request.accepts(['text/html', 'text/plain']) === 'text/plain')
      return { redirectTo: log };
    const { known: knownOfRun, ...data } = await this.page.view(run, viewer, query);
    const base = baseUrl(request, this.configuration.server.publicUrl);
    const [failure, runTime] = await Promise.all([
      this.triage.sections(run, viewer, knownOfRun, base),
      this.time.view(run, knownOfRun.lastPass),
    ]);
    return {
      template: 'runs/run',
      data: { ...data, ...failure, runTime },
      followable:
        run.state === 'finished'
          ? { kind: 'package', name: run.package }
          : { kind: 'run', name: String(run.runId) },
    };
  }
}
