import type { AuditEntryList } from '@proctor/resources';
import { Controller, Get, UseInterceptors } from '@nestjs/common';
import { AUDIT_ACTIONS } from '@proctor/contracts';
import { AuditQuery } from '../../admin/audit.dto';
import { AuditService } from '../../admin/audit.service';
import { Requires } from '../../auth/authentication.middleware';
import { BodyInterceptor, Sent } from '../../http/body.interceptor';
import type { Page } from '../layout/page';
import { AdminPages } from './admin-pages';
import type { AuditRecord } from '@proctor/database';

const FIELDS = ['user', 'action', 'subject', 'since', 'until'] as const;

/** The page of the audit log. */
function auditView(query: AuditQuery, entries: AuditRecord[], last: number | null) {
  const isFiltered = FIELDS.some((field) => query[field] !== undefined);
  return {
    entries,
    actions: AUDIT_ACTIONS.toSorted(),
    query: {
      user: query.user ?? '',
      action: query.action ?? '',
      subject: query.subject ?? '',
      since: dayOf(query.since),
      until: dayOf(query.until),
    },
    isFiltered,
    sentence: sentenceOf(entries.length, isFiltered),
    olderUrl: last === null ? null : urlOf('/admin/audit/', query, last),
    newestUrl: query.before === undefined ? null : urlOf('/admin/audit/', query),
    jsonUrl: urlOf('/admin/audit.json', query, query.before),
  };
}

function sentenceOf(count: number, isFiltered: boolean): string {
  if (count > 0) return 'Logins and decisions, newest first.';
  return isFiltered ? 'No entry matches.' : 'The log is empty.';
}

function dayOf(time: Date | undefined): string {
  return time?.toISOString().slice(0, 10) ?? '';
}

/** The address of a page of the log with the same filter. */
function urlOf(path: string, query: AuditQuery, before?: number): string {
  const parameters = new URLSearchParams();
  for (const field of FIELDS) {
    const value = query[field];
    if (value instanceof Date) parameters.set(field, String(value.getTime() / 1_000));
    else if (value !== undefined) parameters.set(field, value);
  }
  if (before !== undefined) parameters.set('before', String(before));
  return parameters.size > 0 ? `${path}?${parameters.toString()}` : path;
}

/** The page of the audit log for administrators. */
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

/** The audit log as JSON. */
@Controller('admin/audit.json')
@Requires('nothing')
@AdminPages({ isData: true })
@UseInterceptors(BodyInterceptor)
export class AdminAuditDataController {
  constructor(private readonly audit: AuditService) {}

  /** `next` is the path of the next page; null on the last page. */
  @Get()
  async list(@Sent() query: AuditQuery): Promise<Omit<AuditEntryList, 'before'> & { next: string | null }> {
    const { entries, before } = await this.audit.part(query);
    return { entries, next: before === null ? null : urlOf('/admin/audit.json', query, before) };
  }
}
