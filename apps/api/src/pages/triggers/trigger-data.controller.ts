import { Controller, Get, Header, Inject, Param, Query, Req, UseInterceptors } from '@nestjs/common';
import { TriggerRuns } from '@proctor/database';
import type { Request } from 'express';
import { Requires } from '../../auth/authentication.middleware';
import { CONFIGURATION } from '../../configuration.token';
import type { ApiConfiguration } from '../../configuration.token';
import { baseUrl } from '../../http/paths';
import { type PublicAnswer, PublicAnswerInterceptor } from '../../public-data/public-answer';
import { atomFeed, statusFeed } from '../../public-data/status-feed';
import { triggerPath, TriggerService } from '../../runs/trigger.service';
import { TESTS_PER_PAGE, TRIGGERS_PER_PAGE } from '../../runs/triggers.dto';
import { triggerRow } from './trigger-view';
import { TRIGGER_SEARCH, type ShownQuery, ShownQueryPipe } from './triggers.pipes';
import { BEFORE_RUN } from '../../http/path-ids';

const ENTRIES_MAX = 50;
const MAX_AGE_SECONDS = 60;

/** The pages of triggers as JSON. They have only public data, with any key. */
@Controller('triggers')
@Requires('nothing')
export class TriggerDataController {
  constructor(
    private readonly triggerRuns: TriggerRuns,
    private readonly triggers: TriggerService,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  @Get('list.json')
  @Header('Cache-Control', 'public, no-cache')
  list(
    @Query('query', TRIGGER_SEARCH) query: string,
    @Query('before', BEFORE_RUN) before: number | null,
  ): ReturnType<TriggerService['list']> {
    return this.triggers.list(query, TRIGGERS_PER_PAGE, before);
  }

  /** The feed of the latest triggers. */
  @Get('feed.xml')
  @Header('Cache-Control', 'public, no-cache')
  @Header('Content-Type', 'application/atom+xml; charset=utf-8')
  async news(@Req() request: Request): Promise<string> {
    const { triggers } = await this.triggerRuns.list('', ENTRIES_MAX, null);
    const { publicUrl, serviceName: service } = this.configuration.server;
    const base = baseUrl(request, publicUrl);
    const entries = triggers
      .map(triggerRow)
      .map(({ name, url: path, total, done, outcomes, lastAt: date }) => {
        return { path, title: name, text: `${done} of ${total} done, ${outcomes.failed} failed`, date };
      });
    const address = { service, base, feedPath: '/triggers/feed.xml', pagePath: '/triggers/' };
    return atomFeed('Triggers', address, entries);
  }

  @Get(':package/:version/tests.json')
  @Header('Cache-Control', 'public, no-cache')
  tests(
    @Param('package') name: string,
    @Param('version') version: string,
    @Query(ShownQueryPipe) { group, suite, arch, signature, before }: ShownQuery,
  ): ReturnType<TriggerService['object']> {
    const selection = { groups: group && [group], suite, arch, signature };
    const page = { before, limit: TESTS_PER_PAGE };
    return this.triggers.object(`${name}/${version}`, {}, selection, page);
  }

  /** The feed of the tests that ended last. */
  @Get(':package/:version/feed.xml')
  @UseInterceptors(PublicAnswerInterceptor)
  async feed(
    @Param('package') name: string,
    @Param('version') version: string,
    @Req() request: Request,
  ): Promise<PublicAnswer<string>> {
    const trigger = `${name}/${version}`;
    const { publicUrl, neutral, serviceName: service } = this.configuration.server;
    const { tests } = await this.triggers.progress(trigger, {});
    const newest = tests
      .flatMap(({ run }) => (run.finishedAt ? [{ run, endedAt: run.finishedAt.getTime() }] : []))
      .sort((a, b) => b.endedAt - a.endedAt || b.run.runId - a.run.runId)
      .slice(0, ENTRIES_MAX);
    const newestRuns = await this.triggerRuns.whole(newest.map(({ run }) => run));
    const base = baseUrl(request, publicUrl);
    const pagePath = triggerPath(trigger);
    const address = { service, base, feedPath: `${pagePath}/feed.xml`, pagePath };
    return {
      content: statusFeed(`Tests of ${trigger}`, address, newestRuns, neutral),
      type: 'application/atom+xml; charset=utf-8',
      updates: newestRuns.map(({ updatedAt }) => updatedAt),
      maxAgeSeconds: MAX_AGE_SECONDS,
    };
  }
}
