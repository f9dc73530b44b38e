import { Controller, Get, Header, Inject, Param, Query, Req, UseInterceptors } from '@nestjs/common';
import { WORKER_NAME } from '@proctor/contracts';
import type { WorkerDetails, WorkerList } from '@proctor/resources';
import type { Request } from 'express';
import { Requires } from '../../auth/authentication.middleware';
import { CONFIGURATION } from '../../configuration.token';
import type { ApiConfiguration } from '../../configuration.token';
import { baseUrl } from '../../http/paths';
import { queryValue, validName } from '../../http/parameter-values';
import { atomFeed } from '../../public-data/status-feed';
import { WorkersService } from '../../workers/workers.service';
import { CurrentViewer, type Viewer } from '../../sessions/viewer';
import { PageInterceptor } from '../layout/page';
import type { Page } from '../layout/page';
import { isWell, workerEntries } from './workers-view';
import { WorkersPage } from './workers-page.service';
import { WORKER_IN_PATH } from '../../http/path-ids';

const FEED_WORKERS_MAX = 100;

/** Reads the parameter `after` of the list: the last worker of the previous page; empty on the first page. */
const AFTER_WORKER = queryValue(
  validName('the name of a worker', (text) => WORKER_NAME.test(text)),
  '',
);

/** The pages of the workers. Administrators also see private runs; no page shows the address of a machine. */
@Controller('status')
@Requires('nothing')
export class WorkerPagesController {
  constructor(
    private readonly pages: WorkersPage,
    private readonly workers: WorkersService,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  @Get('workers')
  @UseInterceptors(PageInterceptor)
  list(@Query('after', AFTER_WORKER) after: string, @CurrentViewer() { isAdmin }: Viewer): Promise<Page> {
    return this.pages.workersPage(after, isAdmin);
  }

  @Get('workers.json')
  listData(@CurrentViewer() { isAdmin }: Viewer): Promise<WorkerList> {
    return this.workers.list(isAdmin);
  }

  /** The feed of workers with trouble. It has only public data, also for a user who is logged in. */
  @Get('workers.xml')
  @Header('Cache-Control', 'no-cache')
  @Header('Content-Type', 'application/atom+xml; charset=utf-8')
  async feed(@Req() request: Request): Promise<string> {
    const workers = await this.workers.summaries(false, '', FEED_WORKERS_MAX, (offers) => !isWell(offers));
    const base = baseUrl(request, this.configuration.server.publicUrl);
    const service = this.configuration.server.serviceName;
    const address = { service, base, feedPath: '/status/workers.xml', pagePath: '/status/workers/' };
    return atomFeed('Workers', address, workerEntries(workers));
  }

  @Get('workers/:name.json')
  data(
    @Param('name', WORKER_IN_PATH) name: string,
    @CurrentViewer() { isAdmin }: Viewer,
  ): Promise<WorkerDetails> {
    return this.workers.details(name, isAdmin);
  }

  @Get('workers/:name')
  @UseInterceptors(PageInterceptor)
  worker(@Param('name', WORKER_IN_PATH) name: string, @CurrentViewer() { isAdmin }: Viewer): Promise<Page> {
    return this.pages.workerPage(name, isAdmin);
  }
}
