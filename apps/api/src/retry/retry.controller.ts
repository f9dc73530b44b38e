import { Controller, Get, HttpCode, Param, Post, Res, UseInterceptors } from '@nestjs/common';
import type { IdempotencyKey, Requestor as AuthenticatedRequestor } from '@proctor/database';
import type { Response } from 'express';
import { Requestor } from '../auth/requestor';
import { SentOnce } from '../idempotency/sent-once';
import { Templates } from '../pages/templates';
import { runIdOf } from '../results/numbers';
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
    @Param('run_id') runId: string,
    @Requestor() requestor: AuthenticatedRequestor,
    @Res() response: Response,
  ): Promise<void> {
    const view = await this.service.view(runIdOf(runId), requestor);
    response.type('html').send(this.templates.render('retry', view));
  }

  @Post()
  @HttpCode(201)
  @UseInterceptors(BodyInterceptor)
  retry(
    @Param('run_id') runId: string,
    @Requestor() requestor: AuthenticatedRequestor,
    @SentOnce() once: IdempotencyKey | null,
  ): Promise<unknown> {
    return this.service.retry(runIdOf(runId), requestor, once);
  }
}
