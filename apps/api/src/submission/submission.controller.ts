import { Controller, HttpCode, Inject, Param, Post, UseInterceptors } from '@nestjs/common';
import type { Requestor as AuthenticatedRequestor } from '@proctor/database';
import { Requestor } from '../auth/requestor';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { BodyInterceptor, SentParameters } from '../transport/body.interceptor';
import type { Parameters } from '../transport/parameters';
import { listOrder, singleOrder } from './order';
import { SubmissionService } from './submission.service';
import type { SubmissionAnswer } from './submission.service';

@Controller('api/v1/test/:suite/:arch')
@UseInterceptors(BodyInterceptor)
export class SubmissionController {
  constructor(
    private readonly service: SubmissionService,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  @Post()
  @HttpCode(201)
  submitList(
    @Param('suite') suite: string,
    @Param('arch') arch: string,
    @SentParameters() parameters: Parameters,
    @Requestor() requestor: AuthenticatedRequestor,
  ): Promise<SubmissionAnswer> {
    const order = listOrder(parameters, this.configuration.server.itemsPerRequestMax);
    return this.service.submit(order, suite, arch, requestor);
  }

  @Post(':package')
  @HttpCode(201)
  submitSingle(
    @Param('suite') suite: string,
    @Param('arch') arch: string,
    @Param('package') name: string,
    @SentParameters() parameters: Parameters,
    @Requestor() requestor: AuthenticatedRequestor,
  ): Promise<SubmissionAnswer> {
    return this.service.submit(singleOrder(name, parameters), suite, arch, requestor);
  }
}
