import { Controller, Get, UseInterceptors } from '@nestjs/common';
import { Requires } from '../../auth/authentication.middleware';
import type { QueueObject } from '../../queues/queue-object';
import { QueuesService } from '../../queues/queues.service';
import { CurrentViewer, type Viewer } from '../../sessions/viewer';
import { PageInterceptor } from '../frame/page';
import type { Page } from '../frame/page';
import { queuesView } from './queues-view';

/** The suite queues; administrators see private runs counted in them. */
@Controller('status')
@Requires('nothing')
export class QueuePagesController {
  constructor(private readonly queues: QueuesService) {}

  @Get('queue')
  @UseInterceptors(PageInterceptor)
  async page(@CurrentViewer() { isAdmin }: Viewer): Promise<Page> {
    return { template: 'machines/queues', data: queuesView(await this.queues.list(isAdmin)) };
  }

  @Get('queue.json')
  data(@CurrentViewer() { isAdmin }: Viewer): Promise<QueueObject[]> {
    return this.queues.list(isAdmin);
  }
}
