import { Controller, HttpCode, Post, UseInterceptors } from '@nestjs/common';
import type { Requestor as AuthenticatedRequestor } from '@proctor/database';
import { Requestor } from '../auth/requestor';
import { BodyInterceptor, SentParameters } from '../transport/body.interceptor';
import type { Parameters } from '../transport/parameters';
import { ManyRunsService } from './many-runs.service';

/** What is done to all runs that match. */
@Controller('api/v1/test')
@UseInterceptors(BodyInterceptor)
export class ManyRunsController {
  constructor(private readonly service: ManyRunsService) {}

  @Post('cancel')
  @HttpCode(200)
  cancel(
    @SentParameters() parameters: Parameters,
    @Requestor() requestor: AuthenticatedRequestor,
  ): Promise<{ cancelled: number[] }> {
    return this.service.cancel(parameters, requestor);
  }

  @Post('priority')
  @HttpCode(200)
  reprioritise(
    @SentParameters() parameters: Parameters,
    @Requestor() requestor: AuthenticatedRequestor,
  ): Promise<{ changed: number[] }> {
    return this.service.reprioritise(parameters, requestor);
  }
}
