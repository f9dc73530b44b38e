import { Controller, Get, Inject, Param, Query, Req, UseInterceptors } from '@nestjs/common';
import type { Request } from 'express';
import type { NeutralStatus } from '@proctor/contracts';
import { Requires } from '../auth/authentication.middleware';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { PublicRunsService } from '../public-data/public-runs.service';
import type { HistoryPage, PackagePlace } from '../public-data/public-runs.service';
import { baseUrl } from '../http/paths';
import { BeforePipe } from '../runs/run-id';
import { HomeService } from './home.service';
import { PageInterceptor } from './page';
import type { Page } from './page';
import { RunPageService } from './run-page.service';
import { runView } from './run-view';

/** The first page, and the pages of runs. */
@Controller()
@Requires('nothing')
@UseInterceptors(PageInterceptor)
export class PagesController {
  constructor(
    private readonly home: HomeService,
    private readonly runPage: RunPageService,
    private readonly runs: PublicRunsService,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  @Get()
  async first(@Req() request: Request): Promise<Page> {
    const base = baseUrl(request, this.configuration.server.publicUrl);
    return { template: 'home', data: await this.home.view(base) };
  }

  @Get('packages/:prefix/:package/:suite/:arch')
  async history(
    @Param() place: PackagePlace,
    @Query('before', BeforePipe) before: number | null,
  ): Promise<Page> {
    const page = await this.runs.history(place, before);
    const data = historyView(place, page, before === null, this.configuration.server.neutral);
    return { template: 'history', data, updates: page.runs.map((run) => run.updatedAt) };
  }

  @Get('packages/:prefix/:package/:suite/:arch/:run_id')
  async run(@Param() place: PackagePlace & { run_id: string }): Promise<Page> {
    const run = await this.runs.run(place, place.run_id);
    const data = await this.runPage.view(run);
    return run.state === 'finished'
      ? { template: 'run', data, updates: [run.updatedAt] }
      : { template: 'run', data };
  }
}

/** What the page of a package's history on a suite and architecture shows. */
function historyView(
  place: PackagePlace,
  { runs, older }: HistoryPage,
  isNewest: boolean,
  neutral: NeutralStatus,
) {
  const { suite, arch, prefix, package: name } = place;
  const historyUrl = `/packages/${prefix}/${name}/${suite}/${arch}/`;
  return {
    place,
    runs: runs.map((run) => runView(run, neutral)),
    isNewest,
    historyUrl,
    olderUrl: older === null ? null : `${historyUrl}?before=${older}`,
    jsonUrl: `/data/packages/${suite}/${arch}/${prefix}/${name}/history.json`,
    feedUrl: `/data/feeds/${prefix}/${name}.xml`,
  };
}
