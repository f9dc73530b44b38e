import { Injectable } from '@nestjs/common';
import { isWord } from '@proctor/contracts';
import { type Actor, audit } from './audit-log';
import { Database } from '../kit/database';
import { hashPassword, isPassword, DECOY_PASSWORD_HASH } from './passwords';
import { UserRow } from '../rows';
import { likeOf } from '../kit/list-filter';
import { endSessionsOf } from './sessions';
import {
  BY_ID,
  BY_NAME,
  DISABLE,
  ENABLE,
  LIST,
  LOCK_ADMINISTRATORS,
  RECORD,
  REMOVE,
  REVOKE_ALL,
  SET_ADMINISTRATOR,
  SET_PASSWORD,
  STANDING,
  type User,
  type UserRecord,
} from './user-statements';
import { errorCode } from '../kit/unavailable';

export class UserExists extends Error {
  constructor(name: string, isRemoved = false) {
    const removedText = `the name ${name} is kept for a user who was removed: enable that one, or choose another name`;
    super(isRemoved ? removedText : `there is already a user ${name}`);
  }
}

export class UnknownUser extends Error {
  constructor(name: string) {
    super(`there is no user ${name}`);
  }
}

/** A user's name is used in a header and in paths. */
export class InvalidUserName extends Error {
  constructor(name: string) {
    super(`${JSON.stringify(name)} cannot be a user's name: letters, digits and + . _ - only, at most 100`);
  }
}

const UNIQUE_VIOLATION = '23505';

/** The people and services that may request runs. */
@Injectable()
export class Users {
  constructor(private readonly database: Database) {}

  /**
   * Adds a user.
   * @param by the actor in the audit log; without one there is no entry
   * @throws UserExists if the name is taken; InvalidUserName if it is not valid
   */
  async add(name: string, options: { isAdmin: boolean; password?: string; by?: Actor }): Promise<User> {
    if (!isWord(name)) throw new InvalidUserName(name);
    const passwordHash = options.password === undefined ? null : await hashPassword(options.password);
    const { isAdmin, by } = options;
    return this.database
      .transaction(async (transaction) => {
        const user = await transaction.entities(async (manager) => {
          const row = manager.create(UserRow, { name, isAdmin, passwordHash });
          await manager.insert(UserRow, row);
          return userOf(row);
        });
        const detail = isAdmin ? 'an administrator' : null;
        if (by) await audit(transaction, by, { action: 'user-added', subject: userSubject(name), detail });
        return user;
      })
      .catch(async (error: unknown) => {
        if (errorCode(error) !== UNIQUE_VIOLATION) throw error;
        throw new UserExists(name, (await this.record(name))?.standing === 'removed');
      });
  }

  /**
   * Sets a password and ends the sessions of the user, so that a person with the old password is logged out.
   * @param by the actor in the audit log; without one there is no entry
   * @throws UnknownUser if no user has the name
   */
  async setPassword(name: string, password: string, by?: Actor): Promise<void> {
    const passwordHash = await hashPassword(password);
    await this.database.transaction(async (transaction) => {
      const [user] = await transaction.query(SET_PASSWORD, [name, passwordHash]);
      if (!user) throw new UnknownUser(name);
      await endSessionsOf(transaction, user.userId);
      if (by) await audit(transaction, by, { action: 'password-set', subject: userSubject(name) });
    });
  }

  /**
   * Appoints or dismisses an administrator. Simultaneous calls run one after the other, so that one administrator
   * always remains.
   * @returns `same`: the user already had this role; `last`: no administrator would remain; nothing was changed in
   * both cases
   * @throws UnknownUser if no user has the name
   */
  setAdministrator(name: string, isAdmin: boolean, by: Actor): Promise<'changed' | 'same' | 'last'> {
    return this.database.transaction(async (transaction) => {
      const administrators = await transaction.query(LOCK_ADMINISTRATORS);
      const [user] = await transaction.query(BY_NAME, [name]);
      if (!user) throw new UnknownUser(name);
      if (user.isAdmin === isAdmin) return 'same';
      if (!isAdmin && isLast(administrators, user.userId)) return 'last';
      await transaction.query(SET_ADMINISTRATOR, [user.userId, isAdmin]);
      const action = isAdmin ? 'administrator-appointed' : 'administrator-dismissed';
      await audit(transaction, by, { action, subject: userSubject(name) });
      return 'changed';
    });
  }

  /**
   * Disables a user: password, keys and login providers are refused, and the sessions end. Or enables a user again.
   * @returns `same`: the user already was so; `last`: no administrator would remain; nothing was changed in both
   * cases
   * @throws UnknownUser if no user has the name, or a removed user is to be disabled
   */
  setDisabled(name: string, isDisabled: boolean, by: Actor): Promise<'changed' | 'same' | 'last'> {
    return this.database.transaction(async (transaction) => {
      const administrators = await transaction.query(LOCK_ADMINISTRATORS);
      const [user] = await transaction.query(STANDING, [name]);
      if (!user || (isDisabled && user.standing === 'removed')) throw new UnknownUser(name);
      if (isDisabled === (user.standing !== 'active')) return 'same';
      if (isDisabled && isLast(administrators, user.userId)) return 'last';
      await transaction.query(isDisabled ? DISABLE : ENABLE, [user.userId]);
      const sessionCount = isDisabled ? await endSessionsOf(transaction, user.userId) : 0;
      const action = isDisabled ? 'user-disabled' : 'user-enabled';
      const detail = sessionCount > 0 ? `${sessionCount} sessions ended` : null;
      await audit(transaction, by, { action, subject: userSubject(name), detail });
      return 'changed';
    });
  }

  /**
   * Removes a user: password, keys, sessions, webhooks and follows are deleted for ever; the runs stay. No
   * other user can get the name or the identity at a login provider: a user who is enabled again has these two and
   * nothing else.
   * @returns `same`: the user was already removed; `last`: no administrator would remain; nothing was changed in both
   * cases
   * @throws UnknownUser if no user has the name
   */
  remove(name: string, by: Actor): Promise<'changed' | 'same' | 'last'> {
    return this.database.transaction(async (transaction) => {
      const administrators = await transaction.query(LOCK_ADMINISTRATORS);
      const [user] = await transaction.query(STANDING, [name]);
      if (!user) throw new UnknownUser(name);
      if (user.standing === 'removed') return 'same';
      if (isLast(administrators, user.userId)) return 'last';
      for (const statement of REMOVE) await transaction.query(statement, [user.userId]);
      const revoked = await transaction.query(REVOKE_ALL, [user.userId]);
      const sessionCount = await endSessionsOf(transaction, user.userId);
      const detail = `${revoked.length} keys revoked, ${sessionCount} sessions ended`;
      await audit(transaction, by, { action: 'user-removed', subject: userSubject(name), detail });
      return 'changed';
    });
  }

  /**
   * Logs a user out of all browsers.
   * @returns the number of browsers
   * @throws UnknownUser
   */
  endSessions(name: string, by: Actor): Promise<number> {
    return this.database.transaction(async (transaction) => {
      const [user] = await transaction.query(BY_NAME, [name]);
      if (!user) throw new UnknownUser(name);
      const sessionCount = await endSessionsOf(transaction, user.userId);
      const detail = `${sessionCount} of them`;
      await audit(transaction, by, { action: 'sessions-ended', subject: userSubject(name), detail });
      return sessionCount;
    });
  }

  /**
   * Users by name.
   * @param search a part of the name; empty: all
   * @param after only names after this one; empty: from the first on
   */
  list(search: string, limit: number, after: string): Promise<UserRecord[]> {
    return this.database.query(LIST, [`%${likeOf(search)}%`, after, limit]);
  }

  async record(name: string): Promise<UserRecord | null> {
    const [record] = await this.database.query(RECORD, [name]);
    return record ?? null;
  }

  async hasPassword(name: string): Promise<boolean> {
    return (await this.row(name))?.passwordHash != null;
  }

  /** The user, if active; else null. */
  async byId(userId: number): Promise<User | null> {
    const [user] = await this.database.query(BY_ID, [userId]);
    return user ?? null;
  }

  async find(name: string): Promise<User | null> {
    const row = await this.row(name);
    return row && userOf(row);
  }

  /**
   * The user, if this is the right password; null also for an unknown or disabled user, and for one without a
   * password.
   */
  async authenticate(name: string, password: string): Promise<User | null> {
    const row = await this.row(name);
    // Takes the same time for a name that does not exist, so that the time does not reveal which names exist.
    const isRight = await isPassword(password, row?.passwordHash ?? DECOY_PASSWORD_HASH);
    return row?.passwordHash && isRight && !row.disabledAt ? userOf(row) : null;
  }

  private row(name: string): Promise<UserRow | null> {
    return this.database.entities((manager) => manager.findOneBy(UserRow, { name }));
  }
}

/** The user as subject of an audit entry. */
export function userSubject(name: string): string {
  return `user ${name}`;
}

function isLast(administrators: { userId: number }[], userId: number): boolean {
  return administrators.length === 1 && administrators[0]!.userId === userId;
}

function userOf({ userId, name, isAdmin }: UserRow): User {
  return { userId, name, isAdmin };
}
