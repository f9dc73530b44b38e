import { type KeyChange, type KeyWithSecret, NEVER } from '@proctor/resources';
import { timestamp } from '@proctor/contracts';
import type { KeyLimits, NewApiKey } from '@proctor/database';

/** The limits that a request names; those that it leaves out are absent. */
export function keyLimitsOf({ scope, expires_at: end }: KeyChange): Partial<KeyLimits> {
  const expiresAt = end === undefined ? end : end === NEVER ? null : new Date(end);
  return { ...(scope && { scope }), ...(expiresAt !== undefined && { expiresAt }) };
}

export function newKeyObject({ id, name, key, createdAt, scope, expiresAt }: NewApiKey): KeyWithSecret {
  const expiry = expiresAt && timestamp(expiresAt);
  return { id, name, key, created_at: timestamp(createdAt), scope, expires_at: expiry };
}
