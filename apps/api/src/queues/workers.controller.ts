import { Controller, Get } from '@nestjs/common';
import type { Requestor as AuthenticatedRequestor } from '@proctor/database';
import { Requires } from '../auth/authentication.middleware';
import { Requestor } from '../auth/requestor';
import { WorkersService } from './workers.service';
import type { WorkersAnswer } from './workers.service';

@Controller('api/v1/workers')
@Requires('key')
export class WorkersController {
  constructor(private readonly service: WorkersService) {}

  @Get()
  list(@Requestor() { isAdmin }: AuthenticatedRequestor): Promise<WorkersAnswer> {
    return this.service.list(isAdmin);
  }
}
