import { Controller, Get, UseInterceptors } from '@nestjs/common';
import { Requires } from '../auth/authentication.middleware';
import { BodyInterceptor, Sent } from '../http/body.interceptor';
import { affectedObject, AffectedByQuery, AffectedByService } from './affected-by';

/** Which tests began to fail when a package had changed. */
@Controller('api/v1/affected-by')
@Requires('key')
@UseInterceptors(BodyInterceptor)
export class AffectedByController {
  constructor(private readonly affected: AffectedByService) {}

  @Get()
  async find(@Sent() query: AffectedByQuery) {
    return affectedObject(await this.affected.find(query));
  }
}
