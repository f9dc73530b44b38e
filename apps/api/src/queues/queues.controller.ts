import { Controller, Get } from '@nestjs/common';
import { QueuesService } from './queues.service';
import type { QueueObject } from './queue-object';

@Controller('api/v1/queues')
export class QueuesController {
  constructor(private readonly service: QueuesService) {}

  @Get()
  list(): Promise<QueueObject[]> {
    return this.service.list();
  }
}
