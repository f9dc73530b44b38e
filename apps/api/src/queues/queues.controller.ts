import { Controller, Get } from '@nestjs/common';
import type { Requestor as AuthenticatedRequestor } from '@proctor/database';
import { Requires } from '../auth/authentication.middleware';
import { Requestor } from '../auth/requestor';
import { QueuesService } from './queues.service';
import type { QueueObject } from './queue-object';

@Controller('api/v1/queues')
@Requires('key')
export class QueuesController {
  constructor(private readonly service: QueuesService) {}

  @Get()
  list(@Requestor() { isAdmin }: AuthenticatedRequestor): Promise<QueueObject[]> {
    return this.service.list(isAdmin);
  }
}
