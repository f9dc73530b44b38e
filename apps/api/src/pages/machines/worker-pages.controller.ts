import { Controller, Get, Header, Inject, Param, Query, Req, UseInterceptors } from '@nestjs/common';
import { WORKER_NAME } from '@proctor/contracts';
import { WorkerPages } from '@proctor/database';
import type { WorkerDetails, WorkerList } from '@proctor/resources';
import type { Request } from 'express';
import { Requires } from '../../auth/authentication.middleware';
import { CONFIGURATION } from '../../configuration.token';
import type { ApiConfiguration } from '../../configuration.token';
import { loadPart } from '../../http/parts';
import { baseUrl } from '../../http/paths';
import { queryValue, validName } from '../../http/parameter-values';
import { atomFeed } from '../../public-data/status-feed';
import { WorkersService } from '../../workers/workers.service';
import { CurrentViewer, type Viewer } from '../../sessions/viewer';
import { PageInterceptor } from '../layout/page';
import type { Page } from '../layout/page';
import { firstHour, HOUR_SPAN, workerHoursView } from './hours-view';
import { workerView } from './worker-view';
import { isWell, workerEntries, workersView } from './workers-view';
import { WORKER_IN_PATH } from '../../http/path-ids';

const WORKERS_SHOWN_MAX = 100;

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
    private readonly workers: WorkersService,
    private readonly pages: WorkerPages,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  @Get('workers')
  @UseInterceptors(PageInterceptor)
  async list(
    @Query('after', AFTER_WORKER) after: string,
    @CurrentViewer() { isAdmin }: Viewer,
  ): Promise<Page> {
    const read = (limit: number) => this.workers.summaries(isAdmin, after, limit);
    const part = await loadPart(WORKERS_SHOWN_MAX, read, ({ name }) => name);
    return { template: 'machines/workers', data: workersView(part, after) };
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
    const workers = await this.workers.summaries(false, '', WORKERS_SHOWN_MAX, (offers) => !isWell(offers));
    const base = baseUrl(request, this.configuration.server.publicUrl);
    const address = { base, feedPath: '/status/workers.xml', pagePath: '/status/workers/' };
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
  async worker(
    @Param('name', WORKER_IN_PATH) name: string,
    @CurrentViewer() { isAdmin }: Viewer,
  ): Promise<Page> {
    const now = new Date();
    const first = firstHour(now, HOUR_SPAN);
    const [details, hours] = await Promise.all([
      this.workers.details(name, isAdmin),
      this.pages.hours(name, first),
    ]);
    const data = { ...workerView(details), byHour: workerHoursView(hours, first, now) };
    return { template: 'machines/worker', data };
  }
}
