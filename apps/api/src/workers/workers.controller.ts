import { Controller, Get } from '@nestjs/common';
import { WorkersService } from './workers.service';
import type { WorkersAnswer } from './workers.service';

@Controller('api/v1/workers')
export class WorkersController {
  constructor(private readonly service: WorkersService) {}

  @Get()
  list(): Promise<WorkersAnswer> {
    return this.service.list();
  }
}
