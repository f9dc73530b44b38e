import { Controller, HttpCode, Post, UseInterceptors } from '@nestjs/common';
import type { Requestor as AuthenticatedRequestor } from '@proctor/database';
import { Requires } from '../auth/authentication.middleware';
import { Requestor } from '../auth/requestor';
import { BodyInterceptor, Sent } from '../http/body.interceptor';
import { PriorityRequest, SelectionRequest } from './many-runs.dto';
import { ManyRunsService } from './many-runs.service';

/** What is done to all runs that match. */
@Controller('api/v1/test')
@Requires('key')
@UseInterceptors(BodyInterceptor)
export class ManyRunsController {
  constructor(private readonly service: ManyRunsService) {}

  @Post('cancel')
  @HttpCode(200)
  cancel(
    @Sent() asked: SelectionRequest,
    @Requestor() requestor: AuthenticatedRequestor,
  ): Promise<{ cancelled: number[] }> {
    return this.service.cancel(asked, requestor);
  }

  @Post('priority')
  @HttpCode(200)
  reprioritise(
    @Sent() asked: PriorityRequest,
    @Requestor() requestor: AuthenticatedRequestor,
  ): Promise<{ changed: number[] }> {
    return this.service.reprioritise(asked, requestor);
  }
}
