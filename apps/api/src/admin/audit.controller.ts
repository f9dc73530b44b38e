import { Controller, Get, UseGuards, UseInterceptors } from '@nestjs/common';
import { Requires } from '../auth/authentication.middleware';
import { AdministratorsGuard } from '../auth/requestor';
import { BodyInterceptor, Sent } from '../http/body.interceptor';
import { AuditQuery } from './audit.dto';
import type { AuditPart } from './audit.dto';
import { AuditService } from './audit.service';

/** Who did what to accounts, queues, workers and runs. */
@Controller('api/v1/admin/audit')
@Requires('key')
@UseGuards(AdministratorsGuard)
@UseInterceptors(BodyInterceptor)
export class AuditController {
  constructor(private readonly audit: AuditService) {}

  @Get()
  list(@Sent() query: AuditQuery): Promise<AuditPart> {
    return this.audit.part(query);
  }
}
