import { Controller, Get, HttpCode, Post, UseGuards, UseInterceptors } from '@nestjs/common';
import type { PauseScope, Requestor as AuthenticatedRequestor } from '@proctor/database';
import { Requires } from '../auth/authentication.middleware';
import { AdministratorsGuard, Requestor } from '../auth/requestor';
import { BodyInterceptor, Sent } from '../http/body.interceptor';
import { AdminService } from './admin.service';
import { DrainRequest, PausePipe, PauseRequest, RestoreRequest, ResumeRequest } from './admin.dto';
import type { Decided, DrainObject, PauseObject, TrustObject } from './decision-object';

/** What administrators decide about queues and workers. */
@Controller('api/v1/admin')
@Requires('key')
@UseGuards(AdministratorsGuard)
@UseInterceptors(BodyInterceptor)
export class AdminController {
  constructor(private readonly service: AdminService) {}

  @Get('decisions')
  decisions(): Promise<{ pauses: PauseObject[]; drains: DrainObject[] }> {
    return this.service.decisions();
  }

  @Post('pause')
  @HttpCode(200)
  pause(
    @Sent(PausePipe) request: PauseRequest,
    @Requestor() requestor: AuthenticatedRequestor,
  ): Promise<Decided<PauseObject>> {
    return this.service.pause(request, requestor);
  }

  @Post('resume')
  @HttpCode(200)
  resume(
    @Sent() request: ResumeRequest,
    @Requestor() requestor: AuthenticatedRequestor,
  ): Promise<PauseScope> {
    return this.service.resume(request, requestor);
  }

  @Post('drain')
  @HttpCode(200)
  drain(
    @Sent() request: DrainRequest,
    @Requestor() requestor: AuthenticatedRequestor,
  ): Promise<Decided<DrainObject>> {
    return this.service.drain(request, requestor);
  }

  @Post('undrain')
  @HttpCode(200)
  undrain(
    @Sent() request: RestoreRequest,
    @Requestor() requestor: AuthenticatedRequestor,
  ): Promise<{ worker: string }> {
    return this.service.undrain(request, requestor);
  }

  @Post('trust')
  @HttpCode(200)
  trust(
    @Sent() request: RestoreRequest,
    @Requestor() requestor: AuthenticatedRequestor,
  ): Promise<TrustObject> {
    return this.service.trust(request, requestor);
  }
}
