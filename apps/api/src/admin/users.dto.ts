import {
  NewUser,
  OptionalField,
  PasswordRequest,
  text,
  type OwnedKeyResource,
  type UserResource,
  whole,
} from '@proctor/resources';
import { Strict, timestamp } from '@proctor/contracts';
import type { OwnedApiKey, UserRecord } from '@proctor/database';
import { wholeNumber } from '../http/parameter-values';
import { From } from '../http/shape';
import { absentWhenEmpty, formText } from './form-fields';

const KEY_ID_MAX = 2 ** 31 - 1;

/** The query of the list of users. */
@Strict()
export class UsersQuery {
  /** debci calls it `q`. */
  @OptionalField(text({ example: 'ali' }), 'A part of the name.')
  @From({ read: formText, alias: 'q' })
  search?: string;

  @OptionalField(text({ example: 'alice' }), 'Only names behind this one.')
  @From({ read: formText })
  after?: string;
}

/** The query of the list of keys. */
@Strict()
export class KeysQuery {
  @OptionalField(text({ example: 'laptop' }), "A part of the user's name, of the key's, or of its beginning.")
  @From({ read: formText })
  search?: string;

  @OptionalField(whole({ minimum: 1, example: 12 }), 'Only keys of lower ids.')
  @From({ read: wholeNumber(1, KEY_ID_MAX) })
  before?: number;
}

/** The fields of a new user in a form. */
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

export function userObject(user: UserRecord): UserResource {
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

export function ownedKeyObject(key: OwnedApiKey): OwnedKeyResource {
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
