import { Controller, Get, UseInterceptors } from '@nestjs/common';
import { Packages } from '@proctor/database';
import type { KnownPackage, Requestor as AuthenticatedRequestor } from '@proctor/database';
import { ValidateIf } from 'class-validator';
import { Requires } from '../auth/authentication.middleware';
import { Requestor } from '../auth/requestor';
import { IsStorableText, must } from '../http/rules';
import { BodyInterceptor, Sent } from '../http/body.interceptor';

class PackagesQuery {
  /** Empty for packages without one; the database could not even look for what it cannot store. */
  @ValidateIf(({ backend }: PackagesQuery) => backend !== undefined)
  @IsStorableText(must('be the name of a backend'))
  backend?: string;
}

@Controller('api/v1/packages')
@Requires('key')
@UseInterceptors(BodyInterceptor)
export class PackageInfoController {
  constructor(private readonly packages: Packages) {}

  @Get()
  list(
    @Sent() { backend }: PackagesQuery,
    @Requestor() requestor: AuthenticatedRequestor,
  ): Promise<KnownPackage[]> {
    return this.packages.list(backend, requestor);
  }
}
