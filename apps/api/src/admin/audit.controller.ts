import { AUDIT_ACTION, AuditEntryList, text, whole } from '@proctor/resources';
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
      'Each login, and each decision about users, keys, queues, workers and runs, once; the newest first. Feed `before` back for the next part.',
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
    query: {
      user: { of: text(), example: 'alice' },
      action: { of: AUDIT_ACTION, example: 'key-revoked' },
      subject: {
        of: text(),
        description: 'What it was done to, in which `*` stands for anything.',
        example: 'worker *',
      },
      since: {
        of: text(),
        description: 'UNIX seconds, or a day; entries of this time or later.',
        example: '2026-11-20',
      },
      until: { of: text(), description: 'The same; entries before this time.', example: '2026-11-21' },
      before: {
        of: whole({ minimum: 1 }),
        description: 'Only entries that come after this one in the list.',
        example: 12,
      },
      limit: { of: whole({ minimum: 1, maximum: 500, default: 50 }), example: 50 },
    },
  })
  @Get()
  list(@Sent() query: AuditQuery): Promise<AuditEntryList> {
    return this.audit.part(query);
  }
}
