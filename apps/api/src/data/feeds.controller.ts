import { Controller, Get, Inject, Param, Req, Res } from '@nestjs/common';
import { isPackageName, packagePrefix } from '@proctor/contracts';
import { systemClock } from '@proctor/clock';
import { PublicRuns } from '@proctor/database';
import type { StatusRecord } from '@proctor/database';
import type { Request, Response } from 'express';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { baseUrl } from '../http/base-url';
import { pathOf } from '../http/paths';
import { notFound } from '../http/problem';
import { SharedAnswers } from '../limits/shared-answers';
import { PublicCache } from './public-cache';
import { statusFeed } from './status-feed';

const ENTRIES_MAX = 50;
const FEEDS_REMEMBERED_MAX = 500;
const MAX_AGE_SECONDS = 60;
const SUFFIX = '.xml';

/** Atom feeds of status changes. */
@Controller('data/feeds')
export class FeedsController {
  private readonly changes: SharedAnswers<StatusRecord[]>;

  constructor(
    private readonly publicRuns: PublicRuns,
    private readonly cache: PublicCache,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {
    this.changes = new SharedAnswers(systemClock, {
      sizeMax: FEEDS_REMEMBERED_MAX,
      ageMaxMs: () => configuration.server.publicAgeMaxMs,
    });
  }

  @Get('all-packages.xml')
  all(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.send(request, response, null);
  }

  @Get(':prefix/:file')
  async ofPackage(
    @Param('prefix') prefix: string,
    @Param('file') file: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const name = file.endsWith(SUFFIX) ? file.slice(0, -SUFFIX.length) : '';
    if (!isPackageName(name) || prefix !== packagePrefix(name)) throw notFound('There is no such feed.');
    await this.send(request, response, name);
  }

  private async send(request: Request, response: Response, name: string | null): Promise<void> {
    const { publicUrl, neutral } = this.configuration.server;
    const base = baseUrl(request, publicUrl);
    const changes = await this.changes.get(name ?? '', () =>
      this.publicRuns.statusChanges(name, ENTRIES_MAX),
    );
    const pagePath = name === null ? '/packages/' : `/packages/${packagePrefix(name)}/${name}/`;
    const title = name === null ? 'Test status of all packages' : `Test status of ${name}`;
    const feedPath = pathOf(request);
    this.cache.mark(
      response,
      changes.map((run) => run.updatedAt),
      MAX_AGE_SECONDS,
    );
    response
      .type('application/atom+xml; charset=utf-8')
      .send(statusFeed(title, { base, feedPath, pagePath }, changes, neutral));
  }
}
