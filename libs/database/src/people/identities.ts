import { Injectable } from '@nestjs/common';
import type { AuditAction } from '@proctor/contracts';
import { audit } from './audit-log';
import { Database, type Statements } from '../kit/database';
import { boolean, command, integer, selectList, statement } from '../kit/statement';
import { errorCode } from '../kit/unavailable';
import { type User, USER_COLUMNS, userSubject } from './users';

/** Who a person is, as a login provider states it. */
export interface Identity {
  /** Address that the provider calls itself by. */
  issuer: string;
  /** What the provider knows them by, for good. */
  subject: string;
}

export interface WhoLoggedIn {
  /** An administrator from now on, or none; null: as they were. */
  isAdmin: boolean | null;
  /** Names for a new user, the best first. None is that of a user who is there. */
  names: string[];
  /** By which they came, and from which network, for the audit log. */
  door: string;
  address?: string;
}

export interface LoggedIn {
  /** Null: the user is disabled or removed, and stays outside. */
  user: User | null;
  isNew: boolean;
  /** Whether they became an administrator, or are one no longer. */
  isChanged: boolean;
}

const UNIQUE_VIOLATION = '23505';

/** The users who log in by a provider. Such a user is an issuer and a subject, whatever the name. */
@Injectable()
export class Identities {
  constructor(private readonly database: Database) {}

  /**
   * The user of an identity, who is added at the first login.
   * @throws Error when all names are taken
   */
  async logIn(identity: Identity, who: WhoLoggedIn): Promise<LoggedIn> {
    const attempt = (): Promise<LoggedIn> =>
      this.database.transaction(async (transaction) => {
        const [known] = await transaction.query(KNOWN, [identity.issuer, identity.subject]);
        if (!known) return { user: await add(transaction, identity, who), isNew: true, isChanged: false };
        const { isDisabled, ...before } = known;
        if (isDisabled) return { user: null, isNew: false, isChanged: false };
        const isAdmin = who.isAdmin ?? before.isAdmin;
        const user = { ...before, isAdmin };
        const isChanged = isAdmin !== before.isAdmin;
        if (isChanged) {
          await transaction.query(SET_ADMIN, [known.userId, isAdmin]);
          const action = isAdmin ? 'administrator-appointed' : 'administrator-dismissed';
          await note(transaction, action, user, who);
        }
        return { user, isNew: false, isChanged };
      });
    return attempt().catch((error: unknown) => {
      // The same person's first login, in two tabs: the other one has added the user.
      if (errorCode(error) === UNIQUE_VIOLATION) return attempt();
      throw error;
    });
  }
}

async function add(transaction: Statements, identity: Identity, who: WhoLoggedIn): Promise<User> {
  const isAdmin = who.isAdmin ?? false;
  for (const name of who.names) {
    const [user] = await transaction.query(ADD_USER, [name, isAdmin]);
    if (!user) continue;
    await transaction.query(ADD_IDENTITY, [identity.issuer, identity.subject, user.userId]);
    const added = { userId: user.userId, name, isAdmin };
    await note(transaction, 'user-added', added, who);
    return added;
  }
  throw new Error('every name for a new user is taken');
}

/** A provider has the user do it. */
async function note(
  transaction: Statements,
  action: AuditAction,
  { userId, name: userName, isAdmin }: User,
  { door, address }: WhoLoggedIn,
): Promise<void> {
  const isAppointed = action === 'user-added' && isAdmin;
  const detail = isAppointed ? `by ${door}, an administrator` : `by ${door}`;
  await audit(transaction, { userId, userName, address }, { action, subject: userSubject(userName), detail });
}

const KNOWN = statement(
  { ...USER_COLUMNS, isDisabled: boolean },
  `select ${selectList(USER_COLUMNS, 'u')}, u.disabled_at is not null as "isDisabled"
   from identities i join users u using (user_id) where i.issuer = $1 and i.subject = $2`,
);

const ADD_USER = statement(
  { userId: integer },
  `insert into users (name, is_admin) values ($1, $2) on conflict (name) do nothing returning user_id as "userId"`,
);

const ADD_IDENTITY = command('insert into identities (issuer, subject, user_id) values ($1, $2, $3)');

const SET_ADMIN = command('update users set is_admin = $2 where user_id = $1');
