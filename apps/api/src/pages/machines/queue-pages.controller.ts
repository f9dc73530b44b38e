import type { QueueResource } from '@proctor/resources';
import { Controller, Get, Header, Inject, Req, UseInterceptors } from '@nestjs/common';
import type { Request } from 'express';
import { Requires } from '../../auth/authentication.middleware';
import { CONFIGURATION } from '../../configuration.token';
import type { ApiConfiguration } from '../../configuration.token';
import { baseUrl } from '../../http/paths';
import { atomFeed } from '../../public-data/status-feed';
import { QueuesService } from '../../queues/queues.service';
import { CurrentViewer, type Viewer } from '../../sessions/viewer';
import { PageInterceptor } from '../layout/page';
import type { Page } from '../layout/page';
import { queueEntries, queuesView } from './queues-view';

/** The page of the suite queues. For administrators, private runs are counted too. */
@Controller('status')
@Requires('nothing')
export class QueuePagesController {
  constructor(
    private readonly queues: QueuesService,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  @Get('queue')
  @UseInterceptors(PageInterceptor)
  async page(@CurrentViewer() { isAdmin }: Viewer): Promise<Page> {
    return { template: 'machines/queues', data: queuesView(await this.queues.list(isAdmin)) };
  }

  @Get('queue.json')
  data(@CurrentViewer() { isAdmin }: Viewer): Promise<QueueResource[]> {
    return this.queues.list(isAdmin);
  }

  /** The feed. It has only public data, also for a user who is logged in. */
  @Get('queue.xml')
  @Header('Cache-Control', 'no-cache')
  @Header('Content-Type', 'application/atom+xml; charset=utf-8')
  async feed(@Req() request: Request): Promise<string> {
    const base = baseUrl(request, this.configuration.server.publicUrl);
    const address = { base, feedPath: '/status/queue.xml', pagePath: '/status/queue/' };
    return atomFeed('Queues', address, queueEntries(await this.queues.list(false)));
  }
}
