import { Controller, HttpCode, Param, Post, UseInterceptors } from '@nestjs/common';
import type { IdempotencyKey, Requestor as AuthenticatedRequestor } from '@proctor/database';
import { Requires } from '../auth/authentication.middleware';
import { Requestor } from '../auth/requestor';
import { Claim, IdempotencyInterceptor } from '../http/idempotency.interceptor';
import { RunIdPipe } from './run-id';
import { BodyInterceptor } from '../http/body.interceptor';
import { RetryService } from './retry.service';

@Controller('api/v1/retry/:run_id')
@Requires('key')
export class RetryController {
  constructor(private readonly service: RetryService) {}

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
