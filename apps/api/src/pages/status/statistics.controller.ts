import { Controller, Get, Header, Inject, Query, Req, UseInterceptors } from '@nestjs/common';
import { DayStatistics } from '@proctor/database';
import { StatisticsResource } from '@proctor/resources';
import type { Request } from 'express';
import { Requires } from '../../auth/authentication.middleware';
import { CONFIGURATION } from '../../configuration.token';
import type { ApiConfiguration } from '../../configuration.token';
import { Operation } from '../../http/operation';
import { baseUrl } from '../../http/paths';
import { fromQuery, oneOf, wordIn } from '../../http/parameter-values';
import { atomFeed } from '../../public-data/status-feed';
import { PageInterceptor } from '../layout/page';
import type { Page } from '../layout/page';
import {
  figuresOf,
  firstDays,
  SPAN,
  SPANS,
  StatisticsQuery,
  statisticsEntries,
  statisticsFeed,
  statisticsObject,
  statisticsView,
} from './statistics-view';
import type { DayFigures } from './statistics-view';

/** Reads the query of the statistics. An empty form field counts as not given. */
const STATISTICS_QUERY = {
  transform: (query: Record<string, unknown>): StatisticsQuery => ({
    suite: wordIn(query, 'suite'),
    arch: wordIn(query, 'arch'),
    days: fromQuery('days', query['days'], oneOf(SPANS)) ?? SPAN,
  }),
};

/** The numbers of runs and packages by day and outcome. */
@Controller('status')
@Requires('nothing')
export class StatisticsController {
  constructor(
    private readonly statistics: DayStatistics,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  @Operation({
    tag: 'Service',
    id: 'readStatistics',
    summary: 'Figures of each day',
    description:
      "How many packages had which status at the end of each day, UTC, and how many public runs ended, how long they had waited and took. Today's figures are as of now. No key is needed. The address with `.xml` is a feed of the days that are over.",
    answer: { description: 'The days, the oldest first.', of: StatisticsResource },
  })
  @Get('statistics.json')
  @Header('Cache-Control', 'no-cache')
  async object(@Query(STATISTICS_QUERY) query: StatisticsQuery): Promise<StatisticsResource> {
    return statisticsObject(await this.figures(query), query);
  }

  @Get('statistics.xml')
  @Header('Cache-Control', 'no-cache')
  @Header('Content-Type', 'application/atom+xml; charset=utf-8')
  async feed(@Query(STATISTICS_QUERY) query: StatisticsQuery, @Req() request: Request): Promise<string> {
    const base = baseUrl(request, this.configuration.server.publicUrl);
    const service = this.configuration.server.serviceName;
    const address = { service, base, feedPath: statisticsFeed(query), pagePath: '/status/statistics/' };
    return atomFeed('Statistics', address, statisticsEntries(await this.figures(query)));
  }

  @Get('statistics')
  @UseInterceptors(PageInterceptor)
  async page(@Query(STATISTICS_QUERY) query: StatisticsQuery): Promise<Page> {
    const { suites, architectures } = this.configuration.server;
    const view = statisticsView(await this.figures(query), query);
    const isUnindexed = query.suite !== null || query.arch !== null || query.days !== SPAN;
    return { template: 'status/statistics', data: { ...view, suites, architectures, isUnindexed } };
  }

  private async figures(query: StatisticsQuery): Promise<DayFigures[]> {
    const today = new Date(Date.now()).toISOString().slice(0, 10);
    const [from = today] = firstDays(today, query.days);
    const [runs, packages] = await Promise.all([
      this.statistics.runs(from, query),
      this.statistics.packages(from, query),
    ]);
    return figuresOf(runs, packages, { days: query.days, today }, this.configuration.server.neutral);
  }
}
