import { Injectable } from '@nestjs/common';
import type { AuditAction } from '@proctor/contracts';
import { audit } from './audit-log';
import { Database, type Statements } from '../kit/database';
import { boolean, command, integer, selectList, statement } from '../kit/statement';
import { errorCode } from '../kit/unavailable';
import { type User, USER_COLUMNS } from './user-statements';
import { userSubject } from './users';

/** The identity of a person at a login provider. */
export interface Identity {
  /** The address by which the provider identifies itself. */
  issuer: string;
  /** The provider's permanent name for the person. */
  subject: string;
}

interface WhoLoggedIn {
  /** Whether the user is an administrator from now on; null: no change. */
  isAdmin: boolean | null;
  /** Candidates for the name of a new user, the best first. Names of existing users are skipped. */
  names: string[];
  /** The login provider and the network, for the audit log. */
  door: string;
  address?: string;
}

interface LoggedIn {
  /** Null if the user is disabled or removed and may not log in. */
  user: User | null;
  isNew: boolean;
  /** Whether the user became an administrator, or stopped being one. */
  isChanged: boolean;
}

const UNIQUE_VIOLATION = '23505';

/** The users who log in with a provider. An issuer and a subject identify such a user, whatever the name. */
@Injectable()
export class Identities {
  constructor(private readonly database: Database) {}

  /** Finds the user of an identity; adds the user at the first login. @throws Error if all names are taken */
  async logIn(identity: Identity, who: WhoLoggedIn): Promise<LoggedIn> {
    const attempt = (): Promise<LoggedIn> =>
      this.database.transaction(async (transaction) => {
        const [record] = await transaction.query(KNOWN, [identity.issuer, identity.subject]);
        if (!record) return { user: await add(transaction, identity, who), isNew: true, isChanged: false };
        const { isDisabled, ...before } = record;
        if (isDisabled) return { user: null, isNew: false, isChanged: false };
        const isAdmin = who.isAdmin ?? before.isAdmin;
        const user = { ...before, isAdmin };
        const isChanged = isAdmin !== before.isAdmin;
        if (isChanged) {
          await transaction.query(SET_ADMIN, [record.userId, isAdmin]);
          const action = isAdmin ? 'administrator-appointed' : 'administrator-dismissed';
          await recordByProvider(transaction, action, user, who);
        }
        return { user, isNew: false, isChanged };
      });
    return attempt().catch((error: unknown) => {
      // The first login of the same person in two tabs: the other one has added the user.
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
    await recordByProvider(transaction, 'user-added', added, who);
    return added;
  }
  throw new Error('every name for a new user is taken');
}

/** Records the change as the user's own action, by the provider. */
async function recordByProvider(
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
