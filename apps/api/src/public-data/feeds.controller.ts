import { Controller, Get, Inject, Param, Req, UseInterceptors } from '@nestjs/common';
import { isPackageName, packagePrefix } from '@proctor/contracts';
import { systemClock } from '@proctor/clock';
import { PackagePages, PublicRuns } from '@proctor/database';
import type { StatusRecord } from '@proctor/database';
import type { Request } from 'express';
import { Requires } from '../auth/authentication.middleware';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { baseUrl } from '../http/paths';
import { notFound } from '../http/problem';
import { SharedAnswers } from '../http/shared-answers';
import { packagePath } from '../runs/page-paths';
import { PublicAnswerInterceptor } from './public-answer';
import type { PublicAnswer } from './public-answer';
import { statusFeed } from './status-feed';

const ENTRIES_MAX = 50;
const FEEDS_REMEMBERED_MAX = 500;
const MAX_AGE_SECONDS = 60;
const SUFFIX = '.xml';

/** Atom feeds of status changes. */
@Controller('data/feeds')
@Requires('nothing')
@UseInterceptors(PublicAnswerInterceptor)
export class FeedsController {
  private readonly changes: SharedAnswers<StatusRecord[]>;

  constructor(
    private readonly publicRuns: PublicRuns,
    private readonly packages: PackagePages,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {
    this.changes = new SharedAnswers(systemClock, {
      sizeMax: FEEDS_REMEMBERED_MAX,
      ageMaxMs: () => configuration.server.publicAgeMaxMs,
    });
  }

  @Get('all-packages.xml')
  all(@Req() request: Request): Promise<PublicAnswer> {
    return this.feed(request, null);
  }

  @Get(':prefix/:file')
  async ofPackage(
    @Param('prefix') prefix: string,
    @Param('file') file: string,
    @Req() request: Request,
  ): Promise<PublicAnswer> {
    const name = file.endsWith(SUFFIX) ? file.slice(0, -SUFFIX.length) : '';
    if (!isPackageName(name) || prefix !== packagePrefix(name)) throw notFound('There is no such feed.');
    const feed = await this.feed(request, name);
    if (feed.updates.length === 0 && !(await this.packages.isKnown(name)))
      throw notFound('There is no such feed.');
    return feed;
  }

  private async feed(request: Request, name: string | null): Promise<PublicAnswer> {
    const { publicUrl, neutral } = this.configuration.server;
    const base = baseUrl(request, publicUrl);
    const changes = await this.changes.get(name ?? '', () =>
      this.publicRuns.statusChanges(name, ENTRIES_MAX),
    );
    const pagePath = name === null ? '/packages/' : packagePath(name);
    const title = name === null ? 'Test status of all packages' : `Test status of ${name}`;
    // Readers know a feed by its id, however its address was spelled.
    const feedPath = `/data/feeds/${name === null ? 'all-packages' : `${packagePrefix(name)}/${name}`}${SUFFIX}`;
    return {
      content: statusFeed(title, { base, feedPath, pagePath }, changes, neutral),
      type: 'application/atom+xml; charset=utf-8',
      updates: changes.map((run) => run.updatedAt),
      maxAgeSeconds: MAX_AGE_SECONDS,
    };
  }
}
