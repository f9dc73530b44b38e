import { text, whole } from '@proctor/resources';
import { Operation } from '../http/operation';
import { Controller, Get, Headers, Param, Req, Res, UseInterceptors } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Requires } from '../auth/authentication.middleware';
import { type ApiReader, CurrentReader } from '../auth/requestor';
import { BodyInterceptor, Sent } from '../http/body.interceptor';
import { requireKept } from '../runs/removed-files';
import { VisibleRuns } from '../runs/visible-runs';
import { byteEvents, offsetOf, sendEvents } from './event-stream';
import { LogFollower } from './log-follower';
import { LogQuery } from './logs.dto';
import { RunLogs } from './run-logs';
import { sendLog } from './send-log';
import { RUN_IN_PATH } from '../http/path-ids';

/** The log of a run by byte offset, during its execution and afterwards. */
@Controller('api/v1/runs/:run_id/log')
@Requires('key')
@UseInterceptors(BodyInterceptor)
export class LogsController {
  constructor(
    private readonly runs: VisibleRuns,
    private readonly logs: RunLogs,
    private readonly follower: LogFollower,
  ) {}

  /** The available part of the log. */
  @Operation({
    tag: 'Results',
    id: 'readLog',
    summary: 'The log of a run',
    description: [
      'For everybody, without a key: `/data/v1/runs/{run_id}/log`.',
      'The bytes of the log from `offset` on, decompressed: of an attempt that has ended, the log that is kept, and while one is executed, what there is of it now. Both begin with the same bytes, so a client that has some goes on behind them. What a test writes may be any bytes; only most of it is UTF-8.',
    ].join('\n\n'),
    answer: {
      description: 'The log, or what there is of it.',
      of: text(),
      type: 'text/plain',
      headers: {
        'Log-Attempt': { description: 'The attempt that it is of.', schema: { type: 'integer' } },
        'Log-Complete': {
          description: '`true` for the log that is kept, `false` for what there is of a live one.',
          schema: { type: 'boolean' },
        },
      },
    },
    isStream: true,
    refusals: { 404: 'NotFound', 410: 'Gone' },
  })
  @Get()
  async bytes(
    @Param('run_id', RUN_IN_PATH) runId: number,
    @Sent() query: LogQuery,
    @CurrentReader() reader: ApiReader,
    @Res() response: Response,
  ): Promise<void> {
    await this.check(runId, reader);
    const attempt = await this.logs.attempt(runId, query.attempt ?? null);
    await sendLog(this.logs, runId, attempt, query.offset ?? 0, response);
  }

  /** The available part and all new bytes, as server-sent events. */
  @Operation({
    tag: 'Results',
    id: 'followLog',
    summary: 'Follow the log of a run',
    description: [
      'For everybody, without a key: `/data/v1/runs/{run_id}/log/events`.',
      'The log from `offset` on and what comes, as server-sent events, until the attempt has ended; then the rest of the log that is kept, with nothing missing and nothing twice.',
      '`log` has `{"offset": 0, "data": "…"}`: bytes in base64, and how many bytes of the log come before them; its id is the offset behind them. Where an offset is above the last id, the service has forgotten the bytes between. `note` has `{"text": "…"}`, words of the worker. `end` is the last event and has `{"attempt": 1, "outcome": "finished", "verdict": "pass", "is_stored": true}`. A comment comes every 15 seconds.',
    ].join('\n\n'),
    answer: { description: 'The events.', of: text(), type: 'text/event-stream' },
    isStream: true,
    headers: {
      'Last-Event-ID': {
        of: whole({ minimum: 0 }),
        description: 'The id of the last event that the client has; counts before `offset`.',
      },
    },
    refusals: { 404: 'NotFound', 410: 'Gone' },
  })
  @Get('events')
  async events(
    @Param('run_id', RUN_IN_PATH) runId: number,
    @Sent() query: LogQuery,
    @Headers('Last-Event-ID') lastEventId: string | undefined,
    @CurrentReader() reader: ApiReader,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await this.check(runId, reader);
    const from = offsetOf(lastEventId) ?? query.offset ?? 0;
    const events = await this.follower.follow(runId, query.attempt ?? null, from, request, response);
    await sendEvents(byteEvents(events), response);
  }

  /**
   * @throws Problem 404 also for a private run that the reader may not know of; 410 if a rule has removed its logs
   */
  private async check(runId: number, reader: ApiReader): Promise<void> {
    requireKept(await this.runs.one(runId, reader.runs), 'log.gz');
  }
}
