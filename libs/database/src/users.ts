import { Injectable } from '@nestjs/common';
import { isWord } from '@proctor/contracts';
import { Database } from './database';
import { hashPassword, isPassword, NOBODYS_PASSWORD } from './passwords';
import { UserRow } from './rows';
import { errorCode } from './unavailable';

export interface User {
  userId: number;
  name: string;
  isAdmin: boolean;
}

export class UserExists extends Error {
  constructor(name: string) {
    super(`there is already a user ${name}`);
  }
}

export class UnknownUser extends Error {
  constructor(name: string) {
    super(`there is no user ${name}`);
  }
}

/** A user's name travels in a header and in paths. */
export class InvalidUserName extends Error {
  constructor(name: string) {
    super(`${JSON.stringify(name)} cannot be a user's name: letters, digits and + . _ - only, at most 100`);
  }
}

const UNIQUE_VIOLATION = '23505';

/** The people and services that may ask for runs. */
@Injectable()
export class Users {
  constructor(private readonly database: Database) {}

  /** @throws UserExists, InvalidUserName, DatabaseUnavailable */
  async add(name: string, options: { isAdmin: boolean; password?: string }): Promise<User> {
    if (!isWord(name)) throw new InvalidUserName(name);
    const passwordHash = options.password === undefined ? null : await hashPassword(options.password);
    const [user] = await this.database
      .transaction((transaction) => transaction.query<User>(ADD, [name, options.isAdmin, passwordHash]))
      .catch((error: unknown) => {
        throw errorCode(error) === UNIQUE_VIOLATION ? new UserExists(name) : error;
      });
    return user!;
  }

  /** @throws UnknownUser, DatabaseUnavailable */
  async setPassword(name: string, password: string): Promise<void> {
    const passwordHash = await hashPassword(password);
    const changed = await this.database.transaction((transaction) =>
      transaction.query(SET_PASSWORD, [name, passwordHash]),
    );
    if (changed.length === 0) throw new UnknownUser(name);
  }

  /** @throws DatabaseUnavailable */
  async find(name: string): Promise<User | null> {
    const row = await this.row(name);
    return row && userOf(row);
  }

  /** The user, if this is their password; null too for an unknown user and for one without a password. */
  async authenticate(name: string, password: string): Promise<User | null> {
    const row = await this.row(name);
    // Takes as long for a user who is not there: the time tells no names.
    const isRight = await isPassword(password, row?.passwordHash ?? NOBODYS_PASSWORD);
    return row?.passwordHash && isRight ? userOf(row) : null;
  }

  private row(name: string): Promise<UserRow | null> {
    return this.database.entities((manager) => manager.findOneBy(UserRow, { name }));
  }
}

const ADD = `
  insert into users (name, is_admin, password_hash) values ($1, $2, $3)
  returning user_id as "userId", name, is_admin as "isAdmin"`;

const SET_PASSWORD = 'update users set password_hash = $2 where name = $1 returning user_id';

function userOf({ userId, name, isAdmin }: UserRow): User {
  return { userId, name, isAdmin };
}
