import { Controller, Get, HttpCode, Param, Post, Res, UseInterceptors } from '@nestjs/common';
import type { IdempotencyKey, Requestor as AuthenticatedRequestor } from '@proctor/database';
import type { Response } from 'express';
import { Requestor } from '../auth/requestor';
import { Claim, IdempotencyInterceptor } from '../idempotency/idempotency.interceptor';
import { Templates } from '../pages/templates';
import { RunIdPipe } from '../results/run-id';
import { BodyInterceptor } from '../transport/body.interceptor';
import { RetryService } from './retry.service';

@Controller('api/v1/retry/:run_id')
export class RetryController {
  constructor(
    private readonly service: RetryService,
    private readonly templates: Templates,
  ) {}

  @Get()
  async page(
    @Param('run_id', RunIdPipe) runId: number,
    @Requestor() requestor: AuthenticatedRequestor,
    @Res() response: Response,
  ): Promise<void> {
    const view = await this.service.view(runId, requestor);
    response.type('html').send(this.templates.render('retry', view));
  }

  @Post()
  @HttpCode(201)
  @UseInterceptors(BodyInterceptor, IdempotencyInterceptor)
  retry(
    @Param('run_id', RunIdPipe) runId: number,
    @Requestor() requestor: AuthenticatedRequestor,
    @Claim() claim: IdempotencyKey | null,
  ): Promise<unknown> {
    return this.service.retry(runId, requestor, claim);
  }
}
