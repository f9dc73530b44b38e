import { Injectable } from '@nestjs/common';
import type { AuditAction } from '@proctor/contracts';
import { Database, type Statements } from '../kit/database';
import { columnsOf } from '../kit/columns-of';
import { likeOf } from '../kit/list-filter';
import { addRefusedLogin, type RefusedLogin } from './refused-logins';
import { bigint, type ColumnsOf, command, selectList, statement, text, time } from '../kit/statement';
import { AuditEntryRow } from '../rows/audit-entry';

/** The user who decides. */
export interface Actor {
  /** The id of the user; null if the actor is no user of this service. */
  userId: number | null;
  userName: string;
  /** The network address of the actor. */
  address?: string | undefined;
}

/** The administrator who types `proctor` on the machine; no user's name has a space. */
export const COMMAND_LINE: Actor = { userId: null, userName: 'command line' };

/** An action for the audit log. */
interface AuditedDeed {
  action: AuditAction;
  /** The object of the action, in words: `key 12`, `worker w1`, `queue sid/amd64`. */
  subject?: string;
  /** The reason or the manner, for people. */
  detail?: string | null | undefined;
  /** The number of changed runs. */
  runs?: number;
}

/** An action with its actor. */
interface AuditEntry extends AuditedDeed, Actor {}

export interface AuditRecord extends Pick<AuditEntryRow, (typeof RECORDED)[number]> {
  at: Date;
  /** The name as it was typed at a refused login. */
  user: string;
}

const RECORDED = ['entryId', 'action', 'subject', 'detail', 'runs', 'address'] as const;

/** A filter of entries; an absent field accepts any value. */
export interface AuditFilter {
  user?: string | undefined;
  action?: AuditAction | undefined;
  /** A pattern: `*` matches any characters. */
  subject?: string | undefined;
  /** At this time or later. */
  since?: Date | undefined;
  /** Before this time. */
  until?: Date | undefined;
}

const USER_NAME_LENGTH_MAX = 100;
const SUBJECT_LENGTH_MAX = 300;

/** The actions on accounts, queues, workers and runs with their actors, for administrators. */
@Injectable()
export class AuditLog {
  constructor(private readonly database: Database) {}

  async add(entry: AuditEntry): Promise<void> {
    await audit(this.database, entry, entry);
  }

  /** Records a refused login. Several of them may share an entry. */
  async addRefusedLogin({ userName, ...login }: RefusedLogin): Promise<void> {
    await addRefusedLogin(this.database, { ...login, userName: userName.slice(0, USER_NAME_LENGTH_MAX) });
  }

  /**
   * Entries that match, newest first.
   * @param before only entries after this one in the list; null: from the newest on
   */
  async list(
    { user, action, subject, since, until }: AuditFilter,
    limit: number,
    before: number | null,
  ): Promise<AuditRecord[]> {
    const last = before === null ? null : ((await this.database.query(AT, [before]))[0]?.at ?? null);
    if (before !== null && last === null) return [];
    const pattern = subject === undefined ? null : likeOf(subject);
    const filter = [user ?? null, action ?? null, pattern, since ?? null, until ?? null];
    return this.database.query(LIST, [...filter, last, before, limit]);
  }
}

/**
 * Records an action in the transaction that does it.
 * @returns the entry's id
 */
export async function audit(
  statements: Statements,
  { userId, userName, address }: Actor,
  { action, subject, detail, runs }: AuditedDeed,
): Promise<number> {
  const [name, words] = [userName.slice(0, USER_NAME_LENGTH_MAX), subject?.slice(0, SUBJECT_LENGTH_MAX)];
  const parameters = [action, userId, name, words ?? null, detail ?? null, runs ?? null, address ?? null];
  const [added] = await statements.query(ADD, parameters);
  return added!.entryId;
}

/**
 * Audits a decision about runs that takes several transactions: the first writes the entry, the others add their
 * number of runs to it.
 * @returns a function to call in each of these transactions
 */
export function auditOfSteps(
  by: Actor,
  deed: AuditedDeed,
): (transaction: Statements, runs: number) => Promise<void> {
  let entryId: number | null = null;
  return async (transaction, runs) => {
    if (entryId === null) entryId = await audit(transaction, by, { ...deed, runs });
    else await transaction.query(COUNT, [entryId, runs]);
  };
}

const ADD = statement(
  { entryId: bigint },
  `
  insert into audit_entries (action, user_id, user_name, subject, detail, runs, address, created_at)
  values ($1, $2, $3, $4, $5, $6, $7, clock_timestamp()) returning entry_id as "entryId"`,
);

const COUNT = command('update audit_entries set runs = runs + $2 where entry_id = $1');

const AT = statement({ at: time }, 'select created_at as at from audit_entries where entry_id = $1');

const RECORD_COLUMNS = {
  ...columnsOf(AuditEntryRow, ...RECORDED),
  at: time.from('e.created_at'),
  user: text.from('e.user_name'),
} satisfies ColumnsOf<AuditRecord>;

const LIST = statement(
  RECORD_COLUMNS,
  `
  select ${selectList(RECORD_COLUMNS, 'e')} from audit_entries e
  where ($1::text is null or e.user_name = $1) and ($2::text is null or e.action = $2)
    and ($3::text is null or e.subject like $3)
    and ($4::timestamptz is null or e.created_at >= $4) and ($5::timestamptz is null or e.created_at < $5)
    and ($6::timestamptz is null or (e.created_at, e.entry_id) < ($6, $7::bigint))
  order by e.created_at desc, e.entry_id desc limit $8`,
);
