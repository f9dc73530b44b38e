import { Controller, Param, Post, UseInterceptors } from '@nestjs/common';
import type { IdempotencyKey, Requestor } from '@proctor/database';
import { Requires } from '../auth/authentication.middleware';
import { CurrentRequestor } from '../auth/requestor';
import { TakesList } from '../http/body-need';
import { Claim, IdempotencyInterceptor } from '../http/idempotency.interceptor';
import { BodyInterceptor, Sent } from '../http/body.interceptor';
import { DryRunInterceptor } from './dry-run';
import { RetryService } from './retry.service';
import { BatchPipe, TestListPipe, TestOptionsPipe } from './submission.pipes';
import { RetriesRun, SubmitsBatch, SubmitsList, SubmitsSingle } from './submission.operations';
import { SubmissionService } from './submission.service';
import { itemOf, submittedAt } from './submitted-items';
import type { Submitted, SubmittedItems, SubmittedOptions } from './submitted-items';
import { RUN_IN_PATH } from '../http/path-ids';

/** Creates runs, at most once for each idempotency key. */
@Controller('api/v1')
@Requires('key')
@UseInterceptors(DryRunInterceptor, BodyInterceptor, IdempotencyInterceptor)
export class SubmissionController {
  constructor(
    private readonly service: SubmissionService,
    private readonly retries: RetryService,
  ) {}

  @SubmitsBatch
  @Post('test/batch')
  @TakesList()
  submitBatch(
    @Sent(BatchPipe) batch: Submitted,
    @CurrentRequestor() requestor: Requestor,
    @Claim() claim: IdempotencyKey | null,
  ): Promise<unknown> {
    return this.service.submit(batch, requestor, claim);
  }

  @SubmitsList
  @Post('test/:suite/:arch')
  @TakesList()
  submitList(
    @Param('suite') suite: string,
    @Param('arch') arch: string,
    @Sent(TestListPipe) items: SubmittedItems,
    @CurrentRequestor() requestor: Requestor,
    @Claim() claim: IdempotencyKey | null,
  ): Promise<unknown> {
    return this.service.submit(submittedAt(items, suite, arch), requestor, claim);
  }

  @SubmitsSingle
  @Post('test/:suite/:arch/:package')
  submitSingle(
    @Param('suite') suite: string,
    @Param('arch') arch: string,
    @Param('package') name: string,
    @Sent(TestOptionsPipe) options: SubmittedOptions,
    @CurrentRequestor() requestor: Requestor,
    @Claim() claim: IdempotencyKey | null,
  ): Promise<unknown> {
    return this.service.submit(submittedAt(itemOf(name, options), suite, arch), requestor, claim);
  }

  @RetriesRun
  @Post('retry/:run_id')
  retry(
    @Param('run_id', RUN_IN_PATH) runId: number,
    @CurrentRequestor() requestor: Requestor,
    @Claim() claim: IdempotencyKey | null,
  ): Promise<unknown> {
    return this.retries.retry(runId, requestor, claim);
  }
}
