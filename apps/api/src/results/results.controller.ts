import { Controller, Get, Param, Req, Res, UseInterceptors } from '@nestjs/common';
import type { Requestor as AuthenticatedRequestor } from '@proctor/database';
import type { Request, Response } from 'express';
import { Requestor } from '../auth/requestor';
import { BodyInterceptor, SentParameters } from '../transport/body.interceptor';
import type { Parameters } from '../transport/parameters';
import { runIdOf } from './numbers';
import { ResultListService } from './result-list.service';
import { ResultsService } from './results.service';
import type { RunObject } from './run-object';

@Controller('api/v1/test')
export class ResultsController {
  constructor(
    private readonly results: ResultsService,
    private readonly lists: ResultListService,
  ) {}

  @Get()
  @UseInterceptors(BodyInterceptor)
  async list(
    @SentParameters() parameters: Parameters,
    @Requestor() requestor: AuthenticatedRequestor,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await this.lists.send(parameters, requestor, request, response);
  }

  @Get(':run_id')
  one(@Param('run_id') runId: string, @Requestor() requestor: AuthenticatedRequestor): Promise<RunObject> {
    return this.results.one(runIdOf(runId), requestor);
  }
}
