import { AuditEntryList } from '@proctor/resources';
import { Operation } from '../http/operation';
import { Controller, Get, UseGuards, UseInterceptors } from '@nestjs/common';
import { Requires } from '../auth/authentication.middleware';
import { AdministratorsGuard } from '../auth/requestor';
import { BodyInterceptor, Sent } from '../http/body.interceptor';
import { AuditQuery } from './audit.dto';
import { AuditService } from './audit.service';

/** Who did what to accounts, queues, workers and runs. */
@Controller('api/v1/admin/audit')
@Requires('key')
@UseGuards(AdministratorsGuard)
@UseInterceptors(BodyInterceptor)
export class AuditController {
  constructor(private readonly audit: AuditService) {}

  @Operation({
    tag: 'Administration',
    id: 'listAudit',
    summary: 'Who did what',
    description:
      'Each login, and each decision about users, keys, queues, workers and runs, once; the newest first. Send `before` for the next part.',
    answer: {
      description: 'A part of the log.',
      of: AuditEntryList,
      example: {
        entries: [
          {
            id: 12,
            at: '2026-11-20T15:39:00.000Z',
            action: 'runs-cancelled',
            user: 'admin',
            subject: 'package hello, suite sid',
            detail: 'a mistake',
            runs: 40,
            address: '192.0.2.7',
          },
        ],
        before: null,
      },
    },
  })
  @Get()
  list(@Sent() query: AuditQuery): Promise<AuditEntryList> {
    return this.audit.part(query);
  }
}
