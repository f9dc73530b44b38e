import { Controller, Get, Inject, Param, Query, UseInterceptors } from '@nestjs/common';
import { Requires } from '../auth/authentication.middleware';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { StatusService } from '../public-data/status.service';
import type { StatusPlace } from '../public-data/status.service';
import { badRequest, describe } from '../http/problem';
import { PACKAGES_SHOWN_MAX, startOf } from './list-part';
import { PageInterceptor } from './page';
import type { Page } from './page';
import { statusListView } from './status-list-view';

/** The status of all packages, as numbers and as lists. */
@Controller('status')
@Requires('nothing')
@UseInterceptors(PageInterceptor)
export class StatusPagesController {
  constructor(
    private readonly status: StatusService,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  @Get()
  async overview(): Promise<Page> {
    const { suites, architectures } = this.configuration.server;
    const places = suites.flatMap((suite) => architectures.map((arch) => ({ suite, arch })));
    const rows = [];
    const updates: Date[] = [];
    for (const { suite, arch } of places) {
      const { version, answer: counts } = await this.status.counts({ suite, arch });
      if (version.newestUpdate) updates.push(version.newestUpdate);
      rows.push({ suite, arch, counts, url: `/status/${suite}/${arch}/` });
    }
    return { template: 'status-overview', data: { rows, words: this.status.words }, updates };
  }

  @Get(':suite/:arch')
  async list(
    @Param() place: StatusPlace,
    @Query('status') wanted: unknown,
    @Query('after') after: unknown,
  ): Promise<Page> {
    const { words } = this.status;
    const word = wanted === undefined ? null : words.find((each) => each === wanted);
    if (word === undefined)
      throw badRequest(`status must be one of ${words.join(', ')}, not ${describe(wanted)}.`);
    const start = startOf(after);
    const { version, answer: counts } = await this.status.counts(place);
    const records = await this.status.some(place, start, PACKAGES_SHOWN_MAX + 1, word);
    const data = statusListView(
      { ...place, words, word, after: start, counts },
      records.slice(0, PACKAGES_SHOWN_MAX),
      records.length > PACKAGES_SHOWN_MAX,
      this.configuration.server.neutral,
    );
    return { template: 'status-list', data, updates: version.newestUpdate ? [version.newestUpdate] : [] };
  }
}
