import { Controller, Get, Header, Inject, Query, Req, UseInterceptors } from '@nestjs/common';
import { HourFigures } from '@proctor/database';
import { HoursResource, type QueueResource } from '@proctor/resources';
import type { Request } from 'express';
import { Requires } from '../../auth/authentication.middleware';
import { CONFIGURATION } from '../../configuration.token';
import type { ApiConfiguration } from '../../configuration.token';
import { fromQuery, oneOf, wordIn } from '../../http/parameter-values';
import { Operation } from '../../http/operation';
import { baseUrl } from '../../http/paths';
import { atomFeed } from '../../public-data/status-feed';
import { QueuesService } from '../../queues/queues.service';
import { CurrentViewer, type Viewer } from '../../sessions/viewer';
import { PageInterceptor } from '../layout/page';
import type { Page } from '../layout/page';
import { firstHour, HOUR_SPAN, HOUR_SPANS, hourObject, HoursQuery } from './hours-view';
import { QueuesPage } from './queues-page.service';
import { queueEntries } from './queues-view';

/** Reads the query of the figures by hour. An empty form field counts as not given. */
const HOURS_QUERY = {
  transform: (query: Record<string, unknown>): HoursQuery => ({
    suite: wordIn(query, 'suite'),
    arch: wordIn(query, 'arch'),
    days: fromQuery('days', query['days'], oneOf(HOUR_SPANS)) ?? HOUR_SPAN,
  }),
};

/** The page of the suite queues. For administrators, private runs are counted too. */
@Controller('status')
@Requires('nothing')
export class QueuePagesController {
  constructor(
    private readonly pages: QueuesPage,
    private readonly queues: QueuesService,
    private readonly figures: HourFigures,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  @Get('queue')
  @UseInterceptors(PageInterceptor)
  page(@Query(HOURS_QUERY) query: HoursQuery, @CurrentViewer() { isAdmin }: Viewer): Promise<Page> {
    return this.pages.queuesPage(isAdmin, query);
  }

  @Operation({
    tag: 'Service',
    id: 'readHours',
    summary: 'Figures of each hour',
    description:
      'How many public runs arrived, waited and ended in each hour, UTC, and how busy the slots were: the last two hours as of now, others as they were. They are kept for `retention.hourDays`. No key is needed.',
    answer: {
      description:
        'The hours by architecture, the oldest first; an hour in which nothing happened is absent.',
      of: HoursResource,
    },
  })
  @Get('queue/hours.json')
  @Header('Cache-Control', 'no-cache')
  async hours(@Query(HOURS_QUERY) query: HoursQuery): Promise<HoursResource> {
    const { neutral } = this.configuration.server;
    const { suite, arch, days } = query;
    const hours = await this.figures.listHours(firstHour(new Date(), days), query);
    return { filter: { suite, arch }, hours: hours.map((hour) => hourObject(hour, neutral)) };
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
    const service = this.configuration.server.serviceName;
    const address = { service, base, feedPath: '/status/queue.xml', pagePath: '/status/queue/' };
    return atomFeed('Queues', address, queueEntries(await this.queues.list(false)));
  }
}
