import { Controller, Get, Header, Inject, Query, Req, UseInterceptors } from '@nestjs/common';
import type { PipeTransform } from '@nestjs/common';
import { DayStatistics } from '@proctor/database';
import type { Request } from 'express';
import { Requires } from '../../auth/authentication.middleware';
import { CONFIGURATION } from '../../configuration.token';
import type { ApiConfiguration } from '../../configuration.token';
import { baseUrl } from '../../http/paths';
import { fromQuery, oneOf, wordIn } from '../../http/parameter-values';
import { atomFeed } from '../../public-data/status-feed';
import { PageInterceptor } from '../layout/page';
import type { Page } from '../layout/page';
import {
  figuresOf,
  firstDays,
  SPANS,
  statisticsEntries,
  statisticsFeed,
  statisticsObject,
  statisticsView,
} from './statistics-view';
import type { DayFigures, StatisticsAsked } from './statistics-view';

const SPAN = 90;

/** The query of the statistics; an empty field of its form counts as left out. */
class StatisticsPipe implements PipeTransform<Record<string, unknown>, StatisticsAsked> {
  /** @throws Problem 400 that names the field and what it holds */
  transform(query: Record<string, unknown>): StatisticsAsked {
    const days = fromQuery('days', query['days'], oneOf(SPANS)) ?? SPAN;
    return { suite: wordIn(query, 'suite'), arch: wordIn(query, 'arch'), days };
  }
}

/** How runs and packages went, day by day. */
@Controller('status')
@Requires('nothing')
export class StatisticsController {
  constructor(
    private readonly statistics: DayStatistics,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  @Get('statistics.json')
  @Header('Cache-Control', 'no-cache')
  async object(@Query(StatisticsPipe) asked: StatisticsAsked): Promise<object> {
    return statisticsObject(await this.figures(asked), asked);
  }

  @Get('statistics.xml')
  @Header('Cache-Control', 'no-cache')
  @Header('Content-Type', 'application/atom+xml; charset=utf-8')
  async feed(@Query(StatisticsPipe) asked: StatisticsAsked, @Req() request: Request): Promise<string> {
    const base = baseUrl(request, this.configuration.server.publicUrl);
    const address = { base, feedPath: statisticsFeed(asked), pagePath: '/status/statistics/' };
    return atomFeed('Statistics', address, statisticsEntries(await this.figures(asked)));
  }

  @Get('statistics')
  @UseInterceptors(PageInterceptor)
  async page(@Query(StatisticsPipe) asked: StatisticsAsked): Promise<Page> {
    const { suites, architectures } = this.configuration.server;
    const view = statisticsView(await this.figures(asked), asked);
    const isUnindexed = asked.suite !== null || asked.arch !== null || asked.days !== SPAN;
    return { template: 'status/statistics', data: { ...view, suites, architectures, isUnindexed } };
  }

  private async figures(asked: StatisticsAsked): Promise<DayFigures[]> {
    const today = new Date(Date.now()).toISOString().slice(0, 10);
    const [from = today] = firstDays(today, asked.days);
    const [runs, packages] = await Promise.all([
      this.statistics.runs(from, asked),
      this.statistics.packages(from, asked),
    ]);
    return figuresOf(runs, packages, { days: asked.days, today }, this.configuration.server.neutral);
  }
}
