import { NewUser, PasswordRequest } from '@proctor/administration';
import { describe, isWord, type KeyScope, must, Strict, timestamp } from '@proctor/contracts';
import type { OwnedApiKey, UserRecord, UserStanding } from '@proctor/database';
import type { PipeTransform } from '@nestjs/common';
import { IsBoolean } from 'class-validator';
import { notFound } from '../http/problem';
import { wholeNumber } from '../http/parameter-values';
import { From } from '../http/shape';
import { absentWhenEmpty, formText } from './form-fields';

const KEY_ID_MAX = 2 ** 31 - 1;

/** The query of the list of users. */
@Strict()
export class UsersQuery {
  /** A part of the name. debci calls it `q`. */
  @From({ read: formText, alias: 'q' })
  search?: string;

  /** The last user of the page before. */
  @From({ read: formText })
  after?: string;
}

/** The query of the list of keys. */
@Strict()
export class KeysQuery {
  /** A part of the user's name, of the key's or of its beginning. */
  @From({ read: formText })
  search?: string;

  /** The last key of the page before. */
  @From({ read: wholeNumber(1, KEY_ID_MAX) })
  before?: number;
}

/** How the fields of a new user travel in a form. */
export class NewUserRequest extends NewUser {
  /** An empty field of a form: none. */
  @From({ read: absentWhenEmpty })
  declare password?: string;

  @From({ text: 'boolean' })
  declare admin?: boolean;
}

export class NewPasswordRequest extends PasswordRequest {
  @From({ read: absentWhenEmpty })
  declare password?: string;
}

/** Whether a user is an administrator from now on. */
@Strict()
export class AppointmentRequest {
  @From({ text: 'boolean' })
  @IsBoolean(must('be true or false'))
  admin: boolean;
}

/** The name of a user in a path. */
export class UserNamePipe implements PipeTransform<string, string> {
  /** @throws Problem 404 */
  transform(text: string): string {
    if (isWord(text)) return text;
    throw notFound(`There is no user ${describe(text)}.`);
  }
}

/** The id of some user's key in a path. */
export class AnyKeyIdPipe implements PipeTransform<string, number> {
  /** @throws Problem 404 */
  transform(text: string): number {
    const id = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : NaN;
    if (id <= KEY_ID_MAX) return id;
    throw notFound(`There is no valid key ${describe(text)}.`);
  }
}

/** A user as administrators see them. */
export interface UserObject {
  name: string;
  admin: boolean;
  /** `disabled` and `removed` ones cannot come in. */
  standing: UserStanding;
  has_password: boolean;
  created_at: string;
  /** Valid API keys. */
  keys: number;
  /** Browsers in which the user is logged in. */
  sessions: number;
}

export function userObject(user: UserRecord): UserObject {
  return {
    name: user.name,
    admin: user.isAdmin,
    standing: user.standing,
    has_password: user.hasPassword,
    created_at: timestamp(user.createdAt),
    keys: user.keys,
    sessions: user.sessions,
  };
}

/** A valid key as administrators see it. */
export interface OwnedKeyObject {
  id: number;
  user: string;
  name: string;
  /** The key's first characters. */
  prefix: string;
  created_at: string;
  last_used_at: string | null;
  scope: KeyScope;
  expires_at: string | null;
}

export function ownedKeyObject(key: OwnedApiKey): OwnedKeyObject {
  return {
    id: key.id,
    user: key.userName,
    name: key.name,
    prefix: key.prefix,
    created_at: timestamp(key.createdAt),
    last_used_at: key.lastUsedAt && timestamp(key.lastUsedAt),
    scope: key.scope,
    expires_at: key.expiresAt && timestamp(key.expiresAt),
  };
}
