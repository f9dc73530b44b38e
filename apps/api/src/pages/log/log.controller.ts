import { Controller, Get, Headers, Param, Query, Req, Res, UseInterceptors } from '@nestjs/common';
import type { Response } from 'express';
import { Requires } from '../../auth/authentication.middleware';
import { visitorOf } from '../../auth/run-reader';
import { notFound } from '../../http/problem';
import type { ContextRequest } from '../../http/request-context';
import { sendEvents, endEvent, message, textEvent } from '../../logs/event-stream';
import { LogFollower, type LogEvent } from '../../logs/log-follower';
import { RunLogs } from '../../logs/run-logs';
import { sendLog, TEXT_HEADERS } from '../../logs/send-log';
import { PublicRunsService, type PackagePlace } from '../../public-data/public-runs.service';
import { requireKept } from '../../runs/removed-files';
import { PageInterceptor, type Page } from '../layout/page';
import { Templates } from '../layout/templates';
import { LiveLines, type AddedLines, type LogPlace } from './live-lines';
import { LOG_QUERY, type LogPageQuery } from './log-query';
import { LogPageService } from './log-page.service';
import { openLogUrl } from './log-places';
import { nameHidden } from '../../http/hidden-characters';

/**
 * A live log as events for the script of its page. `lines` has new HTML; its id is the beginning of the next line. `note` has
 * a message about the log. At `stale` the page must be loaded again, and also at `end`, after the attempt has ended.
 */
async function* lineEvents(
  events: AsyncIterable<LogEvent>,
  lines: LiveLines,
  templates: Templates,
): AsyncGenerator<string> {
  let outline = '';
  for await (const event of events) {
    if (event.kind === 'end') {
      yield endEvent(event.attempt);
      return;
    }
    if (event.isNote) {
      yield textEvent(nameHidden(event.data.toString('utf8').trim()));
      continue;
    }
    const forgotten = lines.add(event.offset, event.data);
    if (lines.isStale) {
      yield message('stale', {});
      return;
    }
    if (forgotten > 0) yield textEvent(`${forgotten} bytes at the beginning of the log are missing.`);
    const added = lines.newLines();
    if (!added) continue;
    const newOutline = templates.render('log/outline', added);
    yield linesEvent(added, templates.render('log/parts', added), newOutline === outline ? null : newOutline);
    outline = newOutline;
  }
}

function linesEvent({ from, lines, next }: AddedLines, html: string, outline: string | null): string {
  return `id: ${placeText(next)}\n${message('lines', { from, lines, html, outline })}`;
}

/** The place in the log as the id of an event. */
function placeText({ offset, line }: LogPlace): string {
  return `${offset}.${line}`;
}

/** The place at which a client that reconnects continues; null for a new client. */
function placeOf(lastEventId: string | undefined): LogPlace | null {
  const [, offset, line] = /^(\d{1,15})\.(\d{1,15})$/.exec(lastEventId ?? '') ?? [];
  return offset === undefined ? null : { offset: Number(offset), line: Number(line) };
}

type RunPlace = PackagePlace & { run_id: string };

/** Limit for one line as text. */
const LINE_BYTES_MAX = 16 * 1024 * 1024;

/** The pages of the log of a run, stored or live. */
@Controller('packages/:prefix/:package/:suite/:arch/:run_id')
@Requires('nothing')
export class LogController {
  constructor(
    private readonly runs: PublicRunsService,
    private readonly pages: LogPageService,
    private readonly logs: RunLogs,
    private readonly follower: LogFollower,
    private readonly templates: Templates,
  ) {}

  @Get('log')
  @UseInterceptors(PageInterceptor)
  async log(
    @Param() place: RunPlace,
    @Query(LOG_QUERY) query: LogPageQuery,
    @Req() request: ContextRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Page> {
    const run = await this.run(place, request);
    if (run.isPrivate) response.set('Cache-Control', 'private, no-store');
    const data = { ...(await this.pages.view(run, query)), isUnindexed: true, isWide: true };
    const isSettled = run.state === 'finished' && !run.isPrivate && data.live === null;
    return { template: 'log/log', data, ...(isSettled ? { updates: [run.updatedAt] } : {}) };
  }

  /** The stream of a live log, for the script of its page. */
  @Get('log/events')
  async events(
    @Param() place: RunPlace,
    @Query(LOG_QUERY) { attempt, offset, line }: LogPageQuery,
    @Headers('Last-Event-ID') lastEventId: string | undefined,
    @Req() request: ContextRequest,
    @Res() response: Response,
  ): Promise<void> {
    const run = await this.run(place, request);
    const start = placeOf(lastEventId) ?? { offset, line: line ?? 1 };
    const logUrl = openLogUrl(run, attempt);
    const events = await this.follower.followLive(run.runId, attempt, request, response);
    const lines = new LiveLines(start, this.logs.errors, logUrl);
    await sendEvents(lineEvents(events, lines, this.templates), response);
  }

  /** The log, or one line of it, as text. */
  @Get('raw')
  async raw(
    @Param() place: RunPlace,
    @Query(LOG_QUERY) { attempt: number, line }: LogPageQuery,
    @Req() request: ContextRequest,
    @Res() response: Response,
  ): Promise<void> {
    const run = await this.run(place, request);
    const attempt = await this.logs.attempt(run.runId, number);
    if (line === null) return sendLog(this.logs, run.runId, attempt, 0, response);
    const stored = await this.logs.findStored(run.runId, attempt);
    const log = stored ?? (await this.logs.liveLog(run.runId, attempt)).log;
    if (line > log.index.lines) throw notFound(`The log has no line ${line}.`);
    response.status(200).set({ ...TEXT_HEADERS, 'Cache-Control': 'private, no-cache' });
    response.end(await log.wholeLine(line, LINE_BYTES_MAX));
  }

  private async run(place: RunPlace, request: ContextRequest) {
    const run = await this.runs.run(place, place.run_id, visitorOf(request));
    requireKept(run, 'log.gz');
    return run;
  }
}
