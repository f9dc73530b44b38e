import { Injectable } from '@nestjs/common';
import { isWord } from '@proctor/contracts';
import { Database } from './database';
import { hashPassword, isPassword, DECOY_PASSWORD_HASH } from './passwords';
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
    return this.database
      .transaction((transaction) =>
        transaction.entities(async (manager) => {
          const row = manager.create(UserRow, { name, isAdmin: options.isAdmin, passwordHash });
          await manager.insert(UserRow, row);
          return userOf(row);
        }),
      )
      .catch((error: unknown) => {
        throw errorCode(error) === UNIQUE_VIOLATION ? new UserExists(name) : error;
      });
  }

  /** @throws UnknownUser, DatabaseUnavailable */
  async setPassword(name: string, password: string): Promise<void> {
    const passwordHash = await hashPassword(password);
    const { affected } = await this.database.transaction((transaction) =>
      transaction.entities((manager) => manager.update(UserRow, { name }, { passwordHash })),
    );
    if (affected === 0) throw new UnknownUser(name);
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
    const isRight = await isPassword(password, row?.passwordHash ?? DECOY_PASSWORD_HASH);
    return row?.passwordHash && isRight ? userOf(row) : null;
  }

  private row(name: string): Promise<UserRow | null> {
    return this.database.entities((manager) => manager.findOneBy(UserRow, { name }));
  }
}

function userOf({ userId, name, isAdmin }: UserRow): User {
  return { userId, name, isAdmin };
}
