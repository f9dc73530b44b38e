import { Controller, HttpCode, Post, UseInterceptors } from '@nestjs/common';
import type { Requestor as AuthenticatedRequestor } from '@proctor/database';
import { Requires } from '../auth/authentication.middleware';
import { Requestor } from '../auth/requestor';
import { BodyInterceptor, Sent } from '../http/body.interceptor';
import { PublicationRequest } from './publication.dto';
import { PublicationService } from './publication.service';
import type { PublicationAnswer } from './publication.service';

@Controller('api/v1/test/publish')
@Requires('key')
@UseInterceptors(BodyInterceptor)
export class PublicationController {
  constructor(private readonly service: PublicationService) {}

  @Post()
  @HttpCode(200)
  publish(
    @Sent() { run_ids: runIds }: PublicationRequest,
    @Requestor() requestor: AuthenticatedRequestor,
  ): Promise<PublicationAnswer> {
    return this.service.publish(runIds, requestor);
  }
}
