import { describe, isStorable } from '@proctor/contracts';
import { Controller, Get, Inject, UseInterceptors } from '@nestjs/common';
import type { RejectList } from '@proctor/config';
import { Packages } from '@proctor/database';
import type { KnownPackage } from '@proctor/database';
import { Requires } from '../auth/authentication.middleware';
import { type ApiReader, CurrentReader } from '../auth/requestor';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { BodyInterceptor, Sent } from '../http/body.interceptor';
import type { Parameter } from '../http/parameters';
import { refused } from '../http/problem';
import { From } from '../http/shape';
import type { QueueObject } from './queue-object';
import { QueuesService } from './queues.service';

class PackagesQuery {
  /** Empty for packages without one; the database could not even look for what it cannot store. `backend[]` may name several. */
  @From({ read: backendsOf, alias: 'backend[]' })
  backend?: string[];
}

const BACKENDS_MAX = 50;

function backendsOf({ value, pointer }: Parameter): string[] {
  const backends: unknown[] = [value].flat();
  if (backends.length > BACKENDS_MAX)
    throw refused(`backend must be at most ${BACKENDS_MAX} names, not ${backends.length}.`, pointer);
  const odd = backends.find((each) => typeof each !== 'string' || !isStorable(each));
  if (odd === undefined) return backends as string[];
  throw refused(`backend must be the name of a backend, not ${describe(odd)}.`, pointer);
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
