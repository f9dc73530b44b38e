import { Controller, Get, Param } from '@nestjs/common';
import { Requires } from '../auth/authentication.middleware';
import { type ApiReader, CurrentReader } from '../auth/requestor';
import type { WorkerDetails } from './worker-details';
import { WorkerNamePipe } from './worker-name.pipe';
import { WorkersService } from './workers.service';
import type { WorkersAnswer } from './workers.service';

/** Who executes tests; administrators see private runs among theirs. */
@Controller('api/v1/workers')
@Requires('key')
export class WorkersController {
  constructor(private readonly workers: WorkersService) {}

  @Get()
  list(@CurrentReader() { isAdmin }: ApiReader): Promise<WorkersAnswer> {
    return this.workers.list(isAdmin);
  }

  @Get(':name')
  worker(
    @Param('name', WorkerNamePipe) name: string,
    @CurrentReader() { isAdmin }: ApiReader,
  ): Promise<WorkerDetails> {
    return this.workers.details(name, isAdmin);
  }
}
