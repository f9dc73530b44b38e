import { Controller, Get, Inject } from '@nestjs/common';
import type { RejectList } from '@proctor/config';
import { Requires } from '../auth/authentication.middleware';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';

@Controller('api/v1/reject_list')
@Requires('key')
export class RejectListController {
  constructor(@Inject(CONFIGURATION) private readonly configuration: ApiConfiguration) {}

  @Get()
  read(): RejectList {
    return this.configuration.rejectList;
  }
}
