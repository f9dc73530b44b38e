import { Controller, Get, Param, Req, Res, UseInterceptors } from '@nestjs/common';
import type { Response } from 'express';
import { Requires } from '../../auth/authentication.middleware';
import { visitorOf } from '../../auth/run-reader';
import type { ContextRequest } from '../../http/request-context';
import { PublicRunsService } from '../../public-data/public-runs.service';
import type { PackagePlace } from '../../public-data/public-runs.service';
import { installedObject, InstalledPackages } from '../../runs/installed-packages';
import { PageInterceptor } from '../layout/page';
import type { Page } from '../layout/page';
import { installedView } from './installed-view';

type RunPlace = PackagePlace & { run_id: string };

/** The packages that a run had installed, for people and programs. */
@Controller('packages/:prefix/:package/:suite/:arch/:run_id')
@Requires('nothing')
export class InstalledPagesController {
  constructor(
    private readonly runs: PublicRunsService,
    private readonly installed: InstalledPackages,
  ) {}

  @Get('packages.json')
  async object(
    @Param() place: RunPlace,
    @Req() request: ContextRequest,
    @Res({ passthrough: true }) response: Response,
  ) {
    const { run, testbed } = await this.found(place, request, response);
    return installedObject(run, testbed);
  }

  @Get('packages')
  @UseInterceptors(PageInterceptor)
  async page(
    @Param() place: RunPlace,
    @Req() request: ContextRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Page> {
    const { run, testbed } = await this.found(place, request, response);
    return { template: 'runs/installed', data: installedView(run, testbed) };
  }

  private async found({ run_id: runId, ...place }: RunPlace, request: ContextRequest, response: Response) {
    const run = await this.runs.run(place, runId, visitorOf(request));
    response.set('Cache-Control', run.isPrivate ? 'private, no-store' : 'no-cache');
    return { run, testbed: await this.installed.ofOne(run) };
  }
}
