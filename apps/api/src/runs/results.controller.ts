import { ResultResource, ResultList } from '@proctor/resources';
import { Operation } from '../http/operation';
import { Controller, Get, Param, Req, Res, UseInterceptors } from '@nestjs/common';
import type { Requestor } from '@proctor/database';
import type { Request, Response } from 'express';
import { Requires } from '../auth/authentication.middleware';
import { KeyCheck } from '../auth/key-check';
import { type ApiReader, CurrentReader, CurrentRequestor } from '../auth/requestor';
import { BodyInterceptor, Sent } from '../http/body.interceptor';
import { closing } from '../http/held-connections';
import { ResultLongPoll } from './result-long-poll';
import { sendJsonStream } from './result-stream';
import { FINISHED_RUN, WAITING_RUN } from './run-examples';
import { ResultsQuery } from './results.dto';
import { ResultsService } from './results.service';
import { RUN_IN_PATH } from '../http/path-ids';

@Controller('api/v1/test')
@Requires('key')
export class ResultsController {
  constructor(
    private readonly results: ResultsService,
    private readonly longPoll: ResultLongPoll,
    private readonly keys: KeyCheck,
  ) {}

  /** Streams the news of the key; with `wait`, an answer without results is delayed that long. */
  @Operation({
    tag: 'Results',
    id: 'listResults',
    summary: 'What is new',
    description:
      'The runs of this key that were created, finished or published at or after `since`, ordered by `updated_at` and `run_id`; unfinished ones have the status null. Send `until` as the next `since`: you miss nothing, and repeated runs replace those that you have.',
    answer: {
      description: 'The list; it comes as a stream, without an `ETag`.',
      of: ResultList,
      example: {
        until: 1763653252,
        results: [FINISHED_RUN.value],
      },
    },
    isStream: true,
  })
  @Get()
  @UseInterceptors(BodyInterceptor)
  async list(
    @Sent() { since, wait = 0 }: ResultsQuery,
    @CurrentRequestor() requestor: Requestor,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    if (wait > 0 && request.method === 'GET') {
      await this.longPoll.wait(requestor.keyId, since, wait * 1_000, closing(response));
      if (response.closed) return;
      await this.keys.requestorAfterWait(request, response);
    }
    await sendJsonStream(request, response, await this.results.list(requestor.keyId, since));
  }

  @Operation({
    tag: 'Results',
    id: 'readResult',
    summary: 'One run',
    description: [
      'For everybody, without a key: `/data/v1/test/{run_id}`.',
      'A run of this key or a public one; administrators may read all. `facts` has everything that happened to it, `tests` the results of its single tests. While it waits, `reasons` says why, and `position`, `ahead` and `estimated_start` how long it may still wait.',
    ].join('\n\n'),
    answer: {
      description: 'The run.',
      of: ResultResource,
      examples: { finished: FINISHED_RUN, waiting: WAITING_RUN },
    },
    refusals: { 404: 'NotFound', 410: 'Gone' },
  })
  @Get(':run_id')
  one(
    @Param('run_id', RUN_IN_PATH) runId: number,
    @CurrentReader() reader: ApiReader,
  ): Promise<ResultResource> {
    return this.results.one(runId, reader);
  }
}
