import { Injectable } from '@nestjs/common';
import { AuditLog } from '@proctor/database';
import type { AuditRecord } from '@proctor/database';
import { auditFilter, auditObject, ENTRIES_PER_PAGE } from './audit.dto';
import type { AuditPart, AuditQuery } from './audit.dto';

/** The audit log in parts, the newest first. */
@Injectable()
export class AuditService {
  constructor(private readonly log: AuditLog) {}

  async find(
    query: AuditQuery,
  ): Promise<{ entries: AuditRecord[]; /** The last one, when there are more. */ last: number | null }> {
    const { before = null, limit = ENTRIES_PER_PAGE } = query;
    const found = await this.log.list(auditFilter(query), limit + 1, before);
    const entries = found.slice(0, limit);
    return { entries, last: found.length > limit ? entries.at(-1)!.entryId : null };
  }

  async part(query: AuditQuery): Promise<AuditPart> {
    const { entries, last } = await this.find(query);
    return { entries: entries.map(auditObject), before: last };
  }
}
