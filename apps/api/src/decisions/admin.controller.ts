import { Controller, Get, HttpCode, Post, UseGuards, UseInterceptors } from '@nestjs/common';
import type { PauseScope, Requestor as AuthenticatedRequestor } from '@proctor/database';
import { AdministratorsGuard } from '../auth/administrators.guard';
import { Requestor } from '../auth/requestor';
import { BodyInterceptor, SentParameters } from '../transport/body.interceptor';
import type { Parameters } from '../transport/parameters';
import { AdminService } from './admin.service';
import type { Decided, DrainObject, PauseObject, TrustObject } from './decision-object';

/** What administrators decide about queues and workers. */
@Controller('api/v1/admin')
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
    @SentParameters() parameters: Parameters,
    @Requestor() requestor: AuthenticatedRequestor,
  ): Promise<Decided<PauseObject>> {
    return this.service.pause(parameters, requestor);
  }

  @Post('resume')
  @HttpCode(200)
  resume(
    @SentParameters() parameters: Parameters,
    @Requestor() requestor: AuthenticatedRequestor,
  ): Promise<PauseScope> {
    return this.service.resume(parameters, requestor);
  }

  @Post('drain')
  @HttpCode(200)
  drain(
    @SentParameters() parameters: Parameters,
    @Requestor() requestor: AuthenticatedRequestor,
  ): Promise<Decided<DrainObject>> {
    return this.service.drain(parameters, requestor);
  }

  @Post('undrain')
  @HttpCode(200)
  undrain(
    @SentParameters() parameters: Parameters,
    @Requestor() requestor: AuthenticatedRequestor,
  ): Promise<{ worker: string }> {
    return this.service.undrain(parameters, requestor);
  }

  @Post('trust')
  @HttpCode(200)
  trust(
    @SentParameters() parameters: Parameters,
    @Requestor() requestor: AuthenticatedRequestor,
  ): Promise<TrustObject> {
    return this.service.trust(parameters, requestor);
  }
}
