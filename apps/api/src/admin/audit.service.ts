import type { AuditEntryList } from '@proctor/resources';
import { Injectable } from '@nestjs/common';
import { AuditLog } from '@proctor/database';
import type { AuditRecord } from '@proctor/database';
import { auditFilter, auditObject, ENTRIES_PER_PAGE } from './audit.dto';
import type { AuditQuery } from './audit.dto';
import { loadPart, type ListedPart } from '../http/parts';

/** The audit log in parts, the newest first. */
@Injectable()
export class AuditService {
  constructor(private readonly log: AuditLog) {}

  find(query: AuditQuery): Promise<ListedPart<AuditRecord, number>> {
    const { before = null, limit = ENTRIES_PER_PAGE } = query;
    const read = (most: number): Promise<AuditRecord[]> => this.log.list(auditFilter(query), most, before);
    return loadPart(limit, read, ({ entryId }) => entryId);
  }

  async part(query: AuditQuery): Promise<AuditEntryList> {
    const { rows, last } = await this.find(query);
    return { entries: rows.map(auditObject), before: last };
  }
}
