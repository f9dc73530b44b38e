import { text } from '@proctor/resources';
import { Operation } from '../http/operation';
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

  @Operation({
    tag: 'Public data',
    id: 'readFeed',
    summary: 'Changes of statuses',
    description: 'An Atom feed.',
    answer: { description: 'The feed.', of: text(), type: 'application/atom+xml' },
  })
  @Get('all-packages.xml')
  all(@Req() request: Request): Promise<PublicAnswer<string>> {
    return this.feed(request, null);
  }

  @Operation({
    tag: 'Public data',
    id: 'readPackageFeed',
    summary: 'Changes of a package’s statuses',
    description: 'An Atom feed; `file` is the name of the package and `.xml`.',
    answer: { description: 'The feed.', of: text(), type: 'application/atom+xml' },
    path: {
      prefix: { of: text(), description: 'See above.', example: 'libf' },
      file: { of: text(), example: 'libfoo.xml' },
    },
    refusals: { 404: 'NotFound' },
  })
  @Get(':prefix/:file')
  async ofPackage(
    @Param('prefix') prefix: string,
    @Param('file') file: string,
    @Req() request: Request,
  ): Promise<PublicAnswer<string>> {
    const name = file.endsWith(SUFFIX) ? file.slice(0, -SUFFIX.length) : '';
    if (!isPackageName(name) || prefix !== packagePrefix(name)) throw notFound('There is no such feed.');
    const feed = await this.feed(request, name);
    if (feed.updates.length === 0 && !(await this.packages.isKnown(name)))
      throw notFound('There is no such feed.');
    return feed;
  }

  private async feed(request: Request, name: string | null): Promise<PublicAnswer<string>> {
    const { publicUrl, neutral, serviceName: service } = this.configuration.server;
    const base = baseUrl(request, publicUrl);
    const changes = await this.changes.find(name ?? '', () =>
      this.publicRuns.statusChanges(name, ENTRIES_MAX),
    );
    const pagePath = name === null ? '/packages/' : packagePath(name);
    const title = name === null ? 'Test status of all packages' : `Test status of ${name}`;
    // Feed readers identify a feed by its id, for every spelling of its address.
    const feedPath = `/data/feeds/${name === null ? 'all-packages' : `${packagePrefix(name)}/${name}`}${SUFFIX}`;
    return {
      content: statusFeed(title, { service, base, feedPath, pagePath }, changes, neutral),
      type: 'application/atom+xml; charset=utf-8',
      updates: changes.map((run) => run.updatedAt),
      maxAgeSeconds: MAX_AGE_SECONDS,
    };
  }
}
