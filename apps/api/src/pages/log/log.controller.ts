import { Controller, Get, Headers, Param, Query, Req, Res, UseInterceptors } from '@nestjs/common';
import type { Response } from 'express';
import { Requires } from '../../auth/authentication.middleware';
import { visitorOf } from '../../auth/run-reader';
import { notFound } from '../../http/problem';
import type { ContextRequest } from '../../http/request-context';
import { closing, resumed, sendLogEvents } from '../../logs/event-stream';
import { LogFollower } from '../../logs/log-follower';
import { RunLogs } from '../../logs/run-logs';
import { sendLog, TEXT_HEADERS } from '../../logs/send-log';
import { PublicRunsService } from '../../public-data/public-runs.service';
import type { PackagePlace } from '../../public-data/public-runs.service';
import { requireKept } from '../../runs/removed-files';
import { PageInterceptor } from '../frame/page';
import type { Page } from '../frame/page';
import { LogAskedPipe } from './log-asked.pipe';
import type { LogQueryAsked } from './log-asked.pipe';
import { LogPageService } from './log-page.service';

type RunPlace = PackagePlace & { run_id: string };

/** Of one line as text. */
const LINE_BYTES_MAX = 16 * 1024 * 1024;

/** The log of a run, from its first live byte on. */
@Controller('packages/:prefix/:package/:suite/:arch/:run_id')
@Requires('nothing')
export class LogController {
  constructor(
    private readonly runs: PublicRunsService,
    private readonly pages: LogPageService,
    private readonly logs: RunLogs,
    private readonly follower: LogFollower,
  ) {}

  @Get('log')
  @UseInterceptors(PageInterceptor)
  async log(
    @Param() place: RunPlace,
    @Query(LogAskedPipe) asked: LogQueryAsked,
    @Req() request: ContextRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Page> {
    const run = await this.run(place, request);
    if (run.isPrivate) response.set('Cache-Control', 'private, no-store');
    const data = { ...(await this.pages.view(run, asked)), isUnindexed: true, isWide: true };
    const isSettled = run.state === 'finished' && !run.isPrivate && data.live === null;
    return { template: 'log/log', data, ...(isSettled ? { updates: [run.updatedAt] } : {}) };
  }

  /** The log as it comes, for the page's script. */
  @Get('log/events')
  async events(
    @Param() place: RunPlace,
    @Query(LogAskedPipe) { attempt, offset }: LogQueryAsked,
    @Headers('Last-Event-ID') lastEventId: string | undefined,
    @Req() request: ContextRequest,
    @Res() response: Response,
  ): Promise<void> {
    const run = await this.run(place, request);
    const from = resumed(lastEventId) ?? offset;
    const events = await this.follower.follow(run.runId, attempt, from, closing(response));
    await sendLogEvents(events, response);
  }

  /** The log, or one line of it, as text. */
  @Get('raw')
  async raw(
    @Param() place: RunPlace,
    @Query(LogAskedPipe) { attempt: number, line }: LogQueryAsked,
    @Req() request: ContextRequest,
    @Res() response: Response,
  ): Promise<void> {
    const run = await this.run(place, request);
    const attempt = await this.logs.attempt(run.runId, number);
    if (line === null) return sendLog(this.logs, run.runId, attempt, 0, response);
    const stored = await this.logs.stored(run.runId, attempt);
    if (!stored || line > stored.index.lines) throw notFound(`The log has no line ${line}.`);
    response.status(200).set({ ...TEXT_HEADERS, 'Cache-Control': 'private, no-cache' });
    response.end(await stored.wholeLine(line, LINE_BYTES_MAX));
  }

  private async run(place: RunPlace, request: ContextRequest) {
    const run = await this.runs.run(place, place.run_id, visitorOf(request));
    requireKept(run, 'log.gz');
    return run;
  }
}
