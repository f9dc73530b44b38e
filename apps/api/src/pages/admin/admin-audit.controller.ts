import { Controller, Get, UseInterceptors } from '@nestjs/common';
import { AuditQuery } from '../../admin/audit.dto';
import type { AuditPart } from '../../admin/audit.dto';
import { AuditService } from '../../admin/audit.service';
import { Requires } from '../../auth/authentication.middleware';
import { BodyInterceptor, Sent } from '../../http/body.interceptor';
import type { Page } from '../layout/page';
import { AdminPages } from './admin-pages';
import { auditView, urlOf } from './audit-view';

/** Who did what. */
@Controller('admin/audit')
@Requires('nothing')
@AdminPages()
export class AdminAuditController {
  constructor(private readonly audit: AuditService) {}

  @Get()
  @UseInterceptors(BodyInterceptor)
  async page(@Sent() query: AuditQuery): Promise<Page> {
    const { rows: entries, last } = await this.audit.find(query);
    return { template: 'admin/audit', data: auditView(query, entries, last) };
  }
}

/** The same list for programs. */
@Controller('admin/audit.json')
@Requires('nothing')
@AdminPages({ isData: true })
@UseInterceptors(BodyInterceptor)
export class AdminAuditDataController {
  constructor(private readonly audit: AuditService) {}

  /** `next` is the path of the rest of the list; null at its end. */
  @Get()
  async list(@Sent() query: AuditQuery): Promise<Omit<AuditPart, 'before'> & { next: string | null }> {
    const { entries, before } = await this.audit.part(query);
    return { entries, next: before === null ? null : urlOf('/admin/audit.json', query, before) };
  }
}
