import { Controller, Get, HttpCode, Post, UseGuards, UseInterceptors } from '@nestjs/common';
import type { PauseScope, Requestor } from '@proctor/database';
import { Requires } from '../auth/authentication.middleware';
import { AdministratorsGuard, CurrentRequestor } from '../auth/requestor';
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
    @CurrentRequestor() requestor: Requestor,
  ): Promise<Decided<PauseObject>> {
    return this.service.pause(request, requestor);
  }

  @Post('resume')
  @HttpCode(200)
  resume(@Sent() request: ResumeRequest, @CurrentRequestor() requestor: Requestor): Promise<PauseScope> {
    return this.service.resume(request, requestor);
  }

  @Post('drain')
  @HttpCode(200)
  drain(
    @Sent() request: DrainRequest,
    @CurrentRequestor() requestor: Requestor,
  ): Promise<Decided<DrainObject>> {
    return this.service.drain(request, requestor);
  }

  @Post('undrain')
  @HttpCode(200)
  undrain(
    @Sent() request: RestoreRequest,
    @CurrentRequestor() requestor: Requestor,
  ): Promise<{ worker: string }> {
    return this.service.undrain(request, requestor);
  }

  @Post('trust')
  @HttpCode(200)
  trust(@Sent() request: RestoreRequest, @CurrentRequestor() requestor: Requestor): Promise<TrustObject> {
    return this.service.trust(request, requestor);
  }
}
