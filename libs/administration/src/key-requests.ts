import {
  IsStorableText,
  IsStringThat,
  KEY_SCOPES,
  type KeyScope,
  must,
  Strict,
  timestamp,
} from '@proctor/contracts';
import type { KeyLimits, NewApiKey } from '@proctor/database';
import { IsIn, IsOptional, Length } from 'class-validator';

const KEY_NAME_LENGTH_MAX = 100;
const KEY_NAME = must(`be a string of 1 to ${KEY_NAME_LENGTH_MAX} characters without NUL`);

const EXPIRY = must(
  'be a date (YYYY-MM-DD, from whose beginning in UTC on the key opens nothing) or a time with its zone, and still to come, or never',
);
/** In the place of a time: a key does not expire. */
export const NEVER = 'never';

const DATE_OR_TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/;

function isToCome(text: string): boolean {
  return text === NEVER || (DATE_OR_TIME.test(text) && Date.parse(text) > Date.now());
}

/** What a key is to be good for. */
@Strict()
export class KeyChange {
  @IsOptional()
  @IsIn(KEY_SCOPES, must(`be one of ${KEY_SCOPES.join(', ')}`))
  scope?: KeyScope;

  /** A date, a time or `never`. */
  @IsOptional()
  @IsStringThat(isToCome, EXPIRY)
  expires_at?: string;
}

/** A request for an API key. */
export class NewKey extends KeyChange {
  /** What its user calls it. */
  @Length(1, KEY_NAME_LENGTH_MAX, KEY_NAME)
  @IsStorableText(KEY_NAME)
  name: string;
}

/** What is said of it, and nothing of what is not. */
export function keyLimitsOf({ scope, expires_at: end }: KeyChange): Partial<KeyLimits> {
  const expiresAt = end === undefined ? end : end === NEVER ? null : new Date(end);
  return { ...(scope && { scope }), ...(expiresAt !== undefined && { expiresAt }) };
}

/** A key with its secret, which is shown this once. */
export interface NewKeyObject {
  id: number;
  name: string;
  key: string;
  created_at: string;
  scope: KeyScope;
  /** From then on it opens nothing. */
  expires_at: string | null;
}

export function newKeyObject({ id, name, key, createdAt, scope, expiresAt }: NewApiKey): NewKeyObject {
  const expiry = expiresAt && timestamp(expiresAt);
  return { id, name, key, created_at: timestamp(createdAt), scope, expires_at: expiry };
}
