import { Controller, Get, Inject, Injectable, Param, Query, UseInterceptors } from '@nestjs/common';
import type { PipeTransform } from '@nestjs/common';
import { DayStatistics } from '@proctor/database';
import { Requires } from '../../auth/authentication.middleware';
import { CONFIGURATION } from '../../configuration.token';
import type { ApiConfiguration } from '../../configuration.token';
import { StatusService } from '../../public-data/status.service';
import type { SuiteArch, StatusWord } from '../../public-data/status.service';
import { fromQuery, oneOf } from '../../http/parameter-values';
import { AFTER_PACKAGE, PACKAGES_SHOWN_MAX } from '../layout/package-list';
import { PageInterceptor } from '../layout/page';
import type { Page } from '../layout/page';
import { ListDirectory } from './lists.controller';
import { overviewRows, overviewSentence } from './overview-view';
import { statusListView } from './status-list-view';

/** The parameter `status` of a list; null for packages of every status. */
@Injectable()
class StatusPipe implements PipeTransform<unknown, StatusWord | null> {
  constructor(private readonly status: StatusService) {}

  /** @throws Problem 400 for what no package's status is */
  transform(wanted: unknown): StatusWord | null {
    return fromQuery('status', wanted, oneOf(this.status.words));
  }
}

/** The status of all packages, as numbers and as lists. */
@Controller('status')
@Requires('nothing')
@UseInterceptors(PageInterceptor)
export class StatusPagesController {
  constructor(
    private readonly status: StatusService,
    private readonly lists: ListDirectory,
    private readonly statistics: DayStatistics,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  @Get()
  async overview(): Promise<Page> {
    const { server } = this.configuration;
    const rows = overviewRows(await this.statistics.places(), server);
    const lists = this.lists.all.map(({ name, title }) => ({ title, url: `/status/${name}/` }));
    const sentence = overviewSentence(rows);
    return { template: 'status-overview', data: { rows, words: this.status.words, lists, sentence } };
  }

  @Get(':suite/:arch')
  async list(
    @Param() place: SuiteArch,
    @Query('status', StatusPipe) word: StatusWord | null,
    @Query('after', AFTER_PACKAGE) after: string,
  ): Promise<Page> {
    const { words } = this.status;
    const { version, answer: counts } = await this.status.counts(place);
    const records = await this.status.some(place, after, PACKAGES_SHOWN_MAX + 1, word);
    const data = statusListView(
      { ...place, words, word, after, counts },
      records.slice(0, PACKAGES_SHOWN_MAX),
      records.length > PACKAGES_SHOWN_MAX,
      this.configuration.server.neutral,
    );
    return { template: 'status-list', data, updates: version.newestUpdate ? [version.newestUpdate] : [] };
  }
}
