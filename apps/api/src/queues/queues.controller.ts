import { IsStorableText, must } from '@proctor/contracts';
import { Controller, Get, Inject, UseInterceptors } from '@nestjs/common';
import type { RejectList } from '@proctor/config';
import { Packages } from '@proctor/database';
import type { KnownPackage, Requestor } from '@proctor/database';
import { ValidateIf } from 'class-validator';
import { Requires } from '../auth/authentication.middleware';
import { CurrentRequestor } from '../auth/requestor';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { BodyInterceptor, Sent } from '../http/body.interceptor';
import type { QueueObject } from './queue-object';
import { QueuesService } from './queues.service';
import { WorkersService } from './workers.service';
import type { WorkersAnswer } from './workers.service';

class PackagesQuery {
  /** Empty for packages without one; the database could not even look for what it cannot store. */
  @ValidateIf(({ backend }: PackagesQuery) => backend !== undefined)
  @IsStorableText(must('be the name of a backend'))
  backend?: string;
}

/** What waits, where it may run, and what is not tested. */
@Controller('api/v1')
@Requires('key')
export class QueuesController {
  constructor(
    private readonly queues: QueuesService,
    private readonly workers: WorkersService,
    private readonly packages: Packages,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  @Get('queues')
  listQueues(@CurrentRequestor() { isAdmin }: Requestor): Promise<QueueObject[]> {
    return this.queues.list(isAdmin);
  }

  @Get('workers')
  listWorkers(@CurrentRequestor() { isAdmin }: Requestor): Promise<WorkersAnswer> {
    return this.workers.list(isAdmin);
  }

  @Get('packages')
  @UseInterceptors(BodyInterceptor)
  listPackages(
    @Sent() { backend }: PackagesQuery,
    @CurrentRequestor() requestor: Requestor,
  ): Promise<KnownPackage[]> {
    return this.packages.list(backend, requestor);
  }

  @Get('reject_list')
  rejectList(): RejectList {
    return this.configuration.rejectList;
  }
}
