import { AUDIT_ACTIONS } from '@proctor/database';
import type { AuditRecord } from '@proctor/database';
import type { AuditQuery } from '../../admin/audit.dto';

const FIELDS = ['user', 'action', 'subject', 'since', 'until'] as const;

/** The audit log as its page shows it. */
export function auditView(query: AuditQuery, entries: AuditRecord[], last: number | null) {
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
  if (count > 0) return 'Who logged in, and who decided what.';
  return isFiltered ? 'No entry matches.' : 'Nothing was written down yet.';
}

function dayOf(time: Date | undefined): string {
  return time?.toISOString().slice(0, 10) ?? '';
}

/** A part of the log with the same filter. */
export function urlOf(path: string, query: AuditQuery, before?: number): string {
  const parameters = new URLSearchParams();
  for (const field of FIELDS) {
    const value = query[field];
    if (value instanceof Date) parameters.set(field, String(value.getTime() / 1_000));
    else if (value !== undefined) parameters.set(field, value);
  }
  if (before !== undefined) parameters.set('before', String(before));
  return parameters.size > 0 ? `${path}?${parameters.toString()}` : path;
}
