import { Controller, Get, HttpCode, Post, UseGuards, UseInterceptors } from '@nestjs/common';
import {
  DrainRequest,
  PauseRequest,
  QuarantineRequest,
  QueuesAndWorkers,
  RestoreRequest,
  ResumeRequest,
} from '@proctor/administration';
import type {
  Decided,
  DrainDecision,
  PauseDecision,
  QuarantineDecision,
  TrustDecision,
} from '@proctor/administration';
import type { PauseScope, Requestor } from '@proctor/database';
import { Requires } from '../auth/authentication.middleware';
import { AdministratorsGuard, CurrentRequestor } from '../auth/requestor';
import { BodyInterceptor, Sent } from '../http/body.interceptor';
import { From } from '../http/shape';

/** In forms and in the query, too. */
class AskedDrain extends DrainRequest {
  @From({ read: ({ value, isText }) => (isText && /^\d{1,9}$/.test(String(value)) ? Number(value) : value) })
  declare deadline_seconds?: number;
}

/** What administrators decide about queues and workers. */
@Controller('api/v1/admin')
@Requires('key')
@UseGuards(AdministratorsGuard)
@UseInterceptors(BodyInterceptor)
export class AdminController {
  constructor(private readonly queuesAndWorkers: QueuesAndWorkers) {}

  @Get('decisions')
  decisions(): Promise<{ pauses: PauseDecision[]; drains: DrainDecision[] }> {
    return this.queuesAndWorkers.list();
  }

  @Post('pause')
  @HttpCode(200)
  pause(
    @Sent() request: PauseRequest,
    @CurrentRequestor() requestor: Requestor,
  ): Promise<Decided<PauseDecision>> {
    return this.queuesAndWorkers.pause(request, requestor);
  }

  @Post('resume')
  @HttpCode(200)
  resume(@Sent() request: ResumeRequest, @CurrentRequestor() requestor: Requestor): Promise<PauseScope> {
    return this.queuesAndWorkers.resume(request, requestor);
  }

  @Post('drain')
  @HttpCode(200)
  drain(
    @Sent() request: AskedDrain,
    @CurrentRequestor() requestor: Requestor,
  ): Promise<Omit<Decided<DrainDecision>, 'deadline'>> {
    return this.queuesAndWorkers.drain(request, requestor);
  }

  @Post('undrain')
  @HttpCode(200)
  undrain(
    @Sent() request: RestoreRequest,
    @CurrentRequestor() requestor: Requestor,
  ): Promise<{ worker: string }> {
    return this.queuesAndWorkers.undrain(request, requestor);
  }

  @Post('quarantine')
  @HttpCode(200)
  quarantine(
    @Sent() request: QuarantineRequest,
    @CurrentRequestor() requestor: Requestor,
  ): Promise<QuarantineDecision> {
    return this.queuesAndWorkers.quarantine(request, requestor);
  }

  @Post('trust')
  @HttpCode(200)
  trust(@Sent() request: RestoreRequest, @CurrentRequestor() requestor: Requestor): Promise<TrustDecision> {
    return this.queuesAndWorkers.trust(request, requestor);
  }
}
