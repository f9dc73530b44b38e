import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { timestamp } from '@proctor/contracts';
import { type Actor, ApiKeys, type KeyLimits, type NewApiKey, type User, Users } from '@proctor/database';
import { type KeyChange, type KeyWithSecret, NEVER, type NewUser } from '@proctor/resources';
import { weaknessOf } from './password-policy';
import { Deployment, Signals } from './ports';
import { InvalidRequest, Refusal } from './requests';

/** 120 bits, in 20 characters. */
const PASSWORD_BYTES = 15;

/**
 * Changes of users and keys by administrators. Each change is committed, and in the audit log, when its method
 * resolves.
 */
@Injectable()
export class UsersAndKeys {
  constructor(
    private readonly users: Users,
    private readonly keys: ApiKeys,
    private readonly deployment: Deployment,
    private readonly signals: Signals,
  ) {}

  /**
   * Adds a user. Without a password, the user has only keys or a login provider.
   * @throws UserExists if the name is taken; InvalidRequest if the password is too easy to guess
   */
  async add({ name, admin = false, password }: NewUser, by: Actor): Promise<User> {
    if (password !== undefined) await this.requireStrong(password, name);
    return this.users.add(name, { isAdmin: admin, by, ...(password !== undefined && { password }) });
  }

  /**
   * Sets a password and logs the user out everywhere.
   * @param password by default a random one
   * @returns the password
   * @throws UnknownUser if no user has the name; InvalidRequest if the password is too easy to guess
   */
  async setPassword(name: string, password: string | undefined, by: Actor): Promise<string> {
    if (password !== undefined) await this.requireStrong(password, name);
    const set = password ?? randomBytes(PASSWORD_BYTES).toString('base64url');
    await this.users.setPassword(name, set, by);
    return set;
  }

  /**
   * @throws UnknownUser if no user has the name; Refusal (conflict) if the user already has this role, or is the last
   * administrator
   */
  async setAdministrator(name: string, isAdmin: boolean, by: Actor): Promise<void> {
    const outcome = await this.users.setAdministrator(name, isAdmin, by);
    refuseUnchanged(name, outcome, isAdmin ? 'an administrator already' : 'no administrator');
    await this.signals.keys();
  }

  /**
   * Disables a user at once, or enables one again; a removed user then has neither password nor keys.
   * @throws UnknownUser if no user has the name; Refusal (conflict) if the user already is so, or is the last
   * administrator
   */
  async setDisabled(name: string, isDisabled: boolean, by: Actor): Promise<void> {
    const outcome = await this.users.setDisabled(name, isDisabled, by);
    refuseUnchanged(name, outcome, isDisabled ? 'disabled already' : 'not disabled');
    await this.signals.keys();
  }

  /**
   * Removes a user: the runs stay, and no other user gets the name.
   * @throws UnknownUser if no user has the name; Refusal (conflict) if the user was already removed, or is the last
   * administrator
   */
  async remove(name: string, by: Actor): Promise<void> {
    refuseUnchanged(name, await this.users.remove(name, by), 'removed already');
    await this.signals.keys();
  }

  /** Logs a user out of all browsers. @returns the number of browsers @throws UnknownUser if no user has the name */
  endSessions(name: string, by: Actor): Promise<number> {
    return this.users.endSessions(name, by);
  }

  /**
   * Replaces the secret of a key: the old secret stops working.
   * @throws Refusal (unknown) if the user has no such key, or it is revoked
   */
  async rotateKey(id: number, userName: string, by: Actor): Promise<NewApiKey> {
    const rotated = await this.keys.rotate(id, userName, by);
    if (!rotated) throw new Refusal('unknown', `${userName} has no valid key ${id}`);
    await this.signals.keys();
    return rotated;
  }

  /** Revokes a key. @returns its id @throws Refusal (unknown) if there is no such key, or it is already revoked */
  async revokeKey(idOrPrefix: number | string, by: Actor): Promise<number> {
    const revoked = await this.keys.revoke(idOrPrefix, undefined, by);
    if (revoked === null) throw new Refusal('unknown', `there is no valid key ${idOrPrefix}`);
    await this.signals.keys();
    return revoked;
  }

  private async requireStrong(password: string, userName: string): Promise<void> {
    const weakness = weaknessOf(password, userName, await this.deployment.passwordPolicy());
    if (weakness !== null) throw new InvalidRequest(`password ${weakness}`, 'password');
  }
}

/** @param same what the user is when nothing is to be done */
function refuseUnchanged(name: string, outcome: 'changed' | 'same' | 'last', same: string): void {
  if (outcome === 'last')
    throw new Refusal('conflict', `${name} is the last administrator; appoint another one first`);
  if (outcome === 'same') throw new Refusal('conflict', `${name} is ${same}`);
}

/** The limits that a request names; those that it leaves out are absent. */
export function keyLimitsOf({ scope, expires_at: end }: KeyChange): Partial<KeyLimits> {
  const expiresAt = end === undefined ? end : end === NEVER ? null : new Date(end);
  return { ...(scope && { scope }), ...(expiresAt !== undefined && { expiresAt }) };
}

export function newKeyObject({ id, name, key, createdAt, scope, expiresAt }: NewApiKey): KeyWithSecret {
  const expiry = expiresAt && timestamp(expiresAt);
  return { id, name, key, created_at: timestamp(createdAt), scope, expires_at: expiry };
}
