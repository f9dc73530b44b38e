import { Controller, Get, Inject, Param, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { PublicRunsService } from '../data/public-runs.service';
import type { PackagePlace } from '../data/public-runs.service';
import { baseUrl } from '../http/base-url';
import { historyView } from './history-view';
import { HomeService } from './home.service';
import { PageSender } from './page-sender';
import { RunPageService } from './run-page.service';

/** The first page, and the pages of runs. */
@Controller()
export class PagesController {
  constructor(
    private readonly home: HomeService,
    private readonly runPage: RunPageService,
    private readonly runs: PublicRunsService,
    private readonly pages: PageSender,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  @Get()
  async first(@Req() request: Request, @Res() response: Response): Promise<void> {
    const base = baseUrl(request, this.configuration.server.publicUrl);
    this.pages.send(response, 'home', await this.home.view(base));
  }

  @Get('packages/:prefix/:package/:suite/:arch')
  async history(
    @Param() place: PackagePlace,
    @Query('before') before: unknown,
    @Res() response: Response,
  ): Promise<void> {
    const page = await this.runs.history(place, before);
    const view = historyView(place, page, before === undefined, this.configuration.server.neutral);
    this.pages.sendPublic(
      response,
      'history',
      view,
      page.runs.map((run) => run.updatedAt),
    );
  }

  @Get('packages/:prefix/:package/:suite/:arch/:run_id')
  async run(@Param() place: PackagePlace & { run_id: string }, @Res() response: Response): Promise<void> {
    const run = await this.runs.run(place, place.run_id);
    const view = await this.runPage.view(run);
    if (run.state === 'finished') this.pages.sendPublic(response, 'run', view, [run.updatedAt]);
    else this.pages.send(response, 'run', view);
  }
}
