import { IsStorableText, must } from '@proctor/contracts';
import { Controller, Get, Inject, UseInterceptors } from '@nestjs/common';
import type { RejectList } from '@proctor/config';
import { Packages } from '@proctor/database';
import type { KnownPackage } from '@proctor/database';
import { ValidateIf } from 'class-validator';
import { Requires } from '../auth/authentication.middleware';
import { type ApiReader, CurrentReader } from '../auth/requestor';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { BodyInterceptor, Sent } from '../http/body.interceptor';
import type { QueueObject } from './queue-object';
import { QueuesService } from './queues.service';

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
    private readonly packages: Packages,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  @Get('queues')
  listQueues(@CurrentReader() { isAdmin }: ApiReader): Promise<QueueObject[]> {
    return this.queues.list(isAdmin);
  }

  @Get('packages')
  @UseInterceptors(BodyInterceptor)
  listPackages(
    @Sent() { backend }: PackagesQuery,
    @CurrentReader() { requestor }: ApiReader,
  ): Promise<KnownPackage[]> {
    return this.packages.list(backend, requestor?.keyId ?? null);
  }

  @Get('reject_list')
  rejectList(): RejectList {
    return this.configuration.rejectList;
  }
}
