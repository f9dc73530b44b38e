import { Controller, Get, Inject, Param, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { StatusService } from '../data/status.service';
import type { StatusPlace } from '../data/status.service';
import { badRequest, describe } from '../http/problem';
import { PACKAGES_SHOWN_MAX, startOf } from './list-part';
import { PageSender } from './page-sender';
import { statusListView } from './status-list-view';

/** The status of all packages, as numbers and as lists. */
@Controller('status')
export class StatusPagesController {
  constructor(
    private readonly status: StatusService,
    private readonly pages: PageSender,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  @Get()
  async overview(@Res() response: Response): Promise<void> {
    const { suites, architectures } = this.configuration.server;
    const places = suites.flatMap((suite) => architectures.map((arch) => ({ suite, arch })));
    const rows = [];
    const updates: Date[] = [];
    for (const { suite, arch } of places) {
      const { version, told: counts } = await this.status.counts({ suite, arch });
      if (version.newestUpdate) updates.push(version.newestUpdate);
      rows.push({ suite, arch, counts, url: `/status/${suite}/${arch}/` });
    }
    this.pages.sendPublic(response, 'status-overview', { rows, words: this.status.words }, updates);
  }

  @Get(':suite/:arch')
  async list(
    @Param() place: StatusPlace,
    @Query('status') wanted: unknown,
    @Query('after') after: unknown,
    @Res() response: Response,
  ): Promise<void> {
    const { words } = this.status;
    const word = wanted === undefined ? null : words.find((each) => each === wanted);
    if (word === undefined)
      throw badRequest(`status must be one of ${words.join(', ')}, not ${describe(wanted)}.`);
    const start = startOf(after);
    const { version, told: counts } = await this.status.counts(place);
    const records = await this.status.some(place, start, PACKAGES_SHOWN_MAX + 1, word);
    const view = statusListView(
      { ...place, words, word, after: start, counts },
      records.slice(0, PACKAGES_SHOWN_MAX),
      records.length > PACKAGES_SHOWN_MAX,
      this.configuration.server.neutral,
    );
    this.pages.sendPublic(response, 'status-list', view, version.newestUpdate ? [version.newestUpdate] : []);
  }
}
