import { Controller, Get, UseInterceptors } from '@nestjs/common';
import { Packages } from '@proctor/database';
import type { KnownPackage, Requestor as AuthenticatedRequestor } from '@proctor/database';
import { Requestor } from '../auth/requestor';
import { BodyInterceptor, SentParameters } from '../transport/body.interceptor';
import type { Parameters } from '../transport/parameters';
import { backendFilter } from './backend-filter';

@Controller('api/v1/packages')
@UseInterceptors(BodyInterceptor)
export class PackageInfoController {
  constructor(private readonly packages: Packages) {}

  @Get()
  list(
    @SentParameters() parameters: Parameters,
    @Requestor() requestor: AuthenticatedRequestor,
  ): Promise<KnownPackage[]> {
    return this.packages.list(backendFilter(parameters.get('backend')), requestor);
  }
}
