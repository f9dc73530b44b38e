import { Controller, HttpCode, Inject, Param, Post, UseInterceptors } from '@nestjs/common';
import type { IdempotencyKey, Requestor as AuthenticatedRequestor } from '@proctor/database';
import { Requestor } from '../auth/requestor';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { SentOnce } from '../idempotency/sent-once';
import { BodyInterceptor, SentParameters } from '../transport/body.interceptor';
import type { Parameters } from '../transport/parameters';
import { batchParts } from './batch';
import { listOrder, partAt, singleOrder } from './order';
import { SubmissionService } from './submission.service';

@Controller('api/v1/test')
@UseInterceptors(BodyInterceptor)
export class SubmissionController {
  constructor(
    private readonly service: SubmissionService,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  @Post('batch')
  @HttpCode(201)
  submitBatch(
    @SentParameters() parameters: Parameters,
    @Requestor() requestor: AuthenticatedRequestor,
    @SentOnce() once: IdempotencyKey | null,
  ): Promise<unknown> {
    const { itemsPerRequestMax } = this.configuration.server;
    return this.service.submit(() => batchParts(parameters, itemsPerRequestMax), requestor, once);
  }

  @Post(':suite/:arch')
  @HttpCode(201)
  submitList(
    @Param('suite') suite: string,
    @Param('arch') arch: string,
    @SentParameters() parameters: Parameters,
    @Requestor() requestor: AuthenticatedRequestor,
    @SentOnce() once: IdempotencyKey | null,
  ): Promise<unknown> {
    const { itemsPerRequestMax } = this.configuration.server;
    const parts = () => [partAt(listOrder(parameters, itemsPerRequestMax), suite, arch)];
    return this.service.submit(parts, requestor, once);
  }

  @Post(':suite/:arch/:package')
  @HttpCode(201)
  submitSingle(
    @Param('suite') suite: string,
    @Param('arch') arch: string,
    @Param('package') name: string,
    @SentParameters() parameters: Parameters,
    @Requestor() requestor: AuthenticatedRequestor,
    @SentOnce() once: IdempotencyKey | null,
  ): Promise<unknown> {
    return this.service.submit(() => [partAt(singleOrder(name, parameters), suite, arch)], requestor, once);
  }
}
