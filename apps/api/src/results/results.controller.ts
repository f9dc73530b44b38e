import { Controller, Get, Inject, Param, Req, Res, UseInterceptors } from '@nestjs/common';
import { Results } from '@proctor/database';
import type { Requestor as AuthenticatedRequestor } from '@proctor/database';
import type { Request, Response } from 'express';
import { Requestor } from '../auth/requestor';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { BodyInterceptor, SentParameters } from '../transport/body.interceptor';
import type { Parameters } from '../transport/parameters';
import { runIdOf, sinceOf } from './numbers';
import type { ResultObject } from './result-object';
import { resultList, sendJsonStream } from './result-stream';
import { ResultsService } from './results.service';

@Controller('api/v1/test')
export class ResultsController {
  constructor(
    private readonly results: Results,
    private readonly service: ResultsService,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  @Get()
  @UseInterceptors(BodyInterceptor)
  async list(
    @SentParameters() parameters: Parameters,
    @Requestor() requestor: AuthenticatedRequestor,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const { until, rows } = await this.results.since(requestor.keyId, sinceOf(parameters.get('since')));
    await sendJsonStream(request, response, resultList(until, rows, this.configuration.server.neutral));
  }

  @Get(':run_id')
  one(
    @Param('run_id') runId: string,
    @Requestor() requestor: AuthenticatedRequestor,
  ): Promise<ResultObject & { reasons?: string[] }> {
    return this.service.one(runIdOf(runId), requestor);
  }
}
