import {
  AUDIT_ACTION,
  type AuditEntryResource,
  OptionalField,
  sentAs,
  text,
  whole,
  withExample,
} from '@proctor/resources';
import { AUDIT_ACTIONS, type AuditAction, describe, Strict, timestamp } from '@proctor/contracts';
import type { AuditFilter, AuditRecord } from '@proctor/database';
import { badRequestAt } from '../http/problem';
import type { Parameter } from '../http/parameters';
import { oneOf, unlessEmpty, wholeNumber } from '../http/parameter-values';
import { From } from '../http/shape';
import { formText } from './form-fields';

export const ENTRIES_PER_PAGE = 50;
const ENTRIES_PER_PAGE_MAX = 500;

/** The query of the audit log; an empty form field counts as absent. */
@Strict()
export class AuditQuery {
  @OptionalField(text({ example: 'alice' }))
  @From({ read: formText })
  user?: string;

  @OptionalField(withExample(AUDIT_ACTION, 'key-revoked'))
  @From({ read: unlessEmpty(oneOf(AUDIT_ACTIONS)) })
  action?: AuditAction;

  @OptionalField(text({ example: 'worker *' }), 'What the action changed; `*` matches any text.')
  @From({ read: formText })
  subject?: string;

  @OptionalField(
    sentAs<Date>(text({ example: '2026-11-20' })),
    'UNIX seconds, or a day; entries of this time or later.',
  )
  @From({ read: timeOf })
  since?: Date;

  @OptionalField(
    sentAs<Date>(text({ example: '2026-11-21' })),
    'UNIX seconds, or a day; entries before this time.',
  )
  @From({ read: timeOf })
  until?: Date;

  @OptionalField(whole({ minimum: 1, example: 12 }), 'Only entries that come after this one in the list.')
  @From({ read: wholeNumber(1, Number.MAX_SAFE_INTEGER) })
  before?: number;

  @OptionalField(whole({ minimum: 1, maximum: ENTRIES_PER_PAGE_MAX, default: ENTRIES_PER_PAGE, example: 50 }))
  @From({ read: wholeNumber(1, ENTRIES_PER_PAGE_MAX) })
  limit?: number;
}

/** The latest time in seconds whose year has four digits. */
const SECONDS_MAX = 253_402_300_799;

function timeOf({ value, pointer }: Parameter, name: string): Date | undefined {
  if (value === '') return undefined;
  const text = String(value);
  const day = /^\d{4}-\d\d-\d\d$/.test(text) ? new Date(`${text}T00:00:00Z`) : null;
  if (day && !Number.isNaN(day.getTime())) return day;
  const seconds = /^\d{1,12}(\.\d{1,6})?$/.test(text) ? Number(text) : NaN;
  if (seconds <= SECONDS_MAX) return new Date(seconds * 1_000);
  const rule = 'must be a day as 2026-11-23, or a UNIX timestamp in seconds';
  throw badRequestAt(`${name} ${rule}, not ${describe(text)}.`, pointer);
}

export function auditFilter({ user, action, subject, since, until }: AuditQuery): AuditFilter {
  return { user, action, subject, since, until };
}

export function auditObject({ entryId: id, at, ...entry }: AuditRecord): AuditEntryResource {
  return { id, at: timestamp(at), ...entry };
}
