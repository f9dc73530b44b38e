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
import { ResultsQuery } from './results.dto';
import { ResultsService } from './results.service';
import type { RunObject } from './run-object';
import { RUN_IN_PATH } from '../http/path-ids';

@Controller('api/v1/test')
@Requires('key')
export class ResultsController {
  constructor(
    private readonly results: ResultsService,
    private readonly longPoll: ResultLongPoll,
    private readonly keys: KeyCheck,
  ) {}

  /** Streams what is new for the key; with `wait`, an answer without results is held back that long. */
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

  @Get(':run_id')
  one(@Param('run_id', RUN_IN_PATH) runId: number, @CurrentReader() reader: ApiReader): Promise<RunObject> {
    return this.results.one(runId, reader);
  }
}
