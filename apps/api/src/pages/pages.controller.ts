import { Controller, Get, Inject, Param, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { PublicRunsService } from '../data/public-runs.service';
import type { PackagePlace } from '../data/public-runs.service';
import { HomeService } from './home.service';
import { RunPageService } from './run-page.service';
import { runView } from './run-view';
import { Templates } from './templates';

@Controller()
export class PagesController {
  constructor(
    private readonly home: HomeService,
    private readonly runPage: RunPageService,
    private readonly runs: PublicRunsService,
    private readonly templates: Templates,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  @Get()
  async first(@Req() request: Request, @Res() response: Response): Promise<void> {
    const baseUrl = `${request.protocol}://${request.get('Host') ?? 'localhost'}`;
    this.send(response, 'home', await this.home.view(baseUrl));
  }

  @Get('packages/:prefix/:package/:suite/:arch')
  async history(@Param() place: PackagePlace, @Res() response: Response): Promise<void> {
    const runs = await this.runs.history(place);
    const { neutral } = this.configuration.server;
    this.send(response, 'package', { place, runs: runs.map((run) => runView(run, neutral)) });
  }

  @Get('packages/:prefix/:package/:suite/:arch/:run_id')
  async run(@Param() place: PackagePlace & { run_id: string }, @Res() response: Response): Promise<void> {
    const run = await this.runs.run(place, place.run_id);
    this.send(response, 'run', await this.runPage.view(run));
  }

  private send(response: Response, page: string, data: object): void {
    response.set('Cache-Control', 'no-cache').type('html').send(this.templates.render(page, data));
  }
}
