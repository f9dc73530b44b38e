import { Controller, HttpCode, Param, Post, UseInterceptors } from '@nestjs/common';
import type { IdempotencyKey, Requestor as AuthenticatedRequestor } from '@proctor/database';
import { Requires } from '../auth/authentication.middleware';
import { Requestor } from '../auth/requestor';
import { Claim, IdempotencyInterceptor } from '../http/idempotency.interceptor';
import { BodyInterceptor, Sent } from '../http/body.interceptor';
import { BatchPipe, TestListPipe, TestOptionsPipe } from './submission.pipes';
import { SubmissionService } from './submission.service';
import { itemOf, submittedAt } from './submitted-items';
import type { Submitted, SubmittedItems, SubmittedOptions } from './submitted-items';

@Controller('api/v1/test')
@Requires('key')
@UseInterceptors(BodyInterceptor, IdempotencyInterceptor)
export class SubmissionController {
  constructor(private readonly service: SubmissionService) {}

  @Post('batch')
  @HttpCode(201)
  submitBatch(
    @Sent(BatchPipe) batch: Submitted,
    @Requestor() requestor: AuthenticatedRequestor,
    @Claim() claim: IdempotencyKey | null,
  ): Promise<unknown> {
    return this.service.submit(batch, requestor, claim);
  }

  @Post(':suite/:arch')
  @HttpCode(201)
  submitList(
    @Param('suite') suite: string,
    @Param('arch') arch: string,
    @Sent(TestListPipe) items: SubmittedItems,
    @Requestor() requestor: AuthenticatedRequestor,
    @Claim() claim: IdempotencyKey | null,
  ): Promise<unknown> {
    return this.service.submit(submittedAt(items, suite, arch), requestor, claim);
  }

  @Post(':suite/:arch/:package')
  @HttpCode(201)
  submitSingle(
    @Param('suite') suite: string,
    @Param('arch') arch: string,
    @Param('package') name: string,
    @Sent(TestOptionsPipe) options: SubmittedOptions,
    @Requestor() requestor: AuthenticatedRequestor,
    @Claim() claim: IdempotencyKey | null,
  ): Promise<unknown> {
    return this.service.submit(submittedAt(itemOf(name, options), suite, arch), requestor, claim);
  }
}
